/* Pictures of fields are drawn by threads of their own, so that a run goes on meanwhile:
 *
 *   rw_drawing_add     copies values and labels into a queue; a thread takes and draws them
 *   rw_drawing_busy    the queue is full: adding one more would wait
 *   rw_drawing_wait    until all are drawn; the first failure
 *
 * One thread draws during the run, since steps need the cores; as many as the process may use draw once it has ended.
 * A picture of the same file replaces one that waits. A picture that fails shows in the next call. What is too large to
 * be copied is drawn at once, in the caller's thread; so is everything where there is no thread, and in a child of
 * fork(). Cost: a copy of the values of each picture in the queue. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "run/run_private.h"

enum { WAITING = 4, LARGE = 1 << 26 }; /* pictures in the queue for each thread; bytes */

typedef struct drawing {
    char path[RW_PATH_SIZE], title[256], subtitle[64], name[64], unit[64];
    rw_layout grid;
    rw_picture_draw *draw;
    rw_field_picture picture; /* its texts and its grid are those above */
    void *values;
    struct drawing *next;
} drawing;

struct rw_drawings {
    rw_context *ctx;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    drawing *first, *last; /* the queue */
    drawing *active;       /* those that are being drawn */
    int waiting;           /* in the queue */
    int threads, most;
    bool closed;
    unsigned forks;
    rw_status status; /* of the first that has failed */
    char message[512];
    pthread_t thread[256];
};

static void free_drawing(drawing *d)
{
    rw_free(d->values);
    rw_free(d);
}

/* Under the lock: the next one, NULL when the run has ended. */
static drawing *take(struct rw_drawings *all)
{
    while (!all->first && !all->closed) pthread_cond_wait(&all->changed, &all->lock);
    drawing *d = all->first;
    if (!d) return NULL;
    if (!(all->first = d->next)) all->last = NULL;
    all->waiting--;
    d->next = all->active;
    all->active = d;
    return d;
}

/* Under the lock: takes a drawing out of a list. */
static void unlink_from(drawing **list, const drawing *d)
{
    while (*list != d) list = &(*list)->next;
    *list = d->next;
}

static void *work(void *user)
{
    struct rw_drawings *all = user;
    rw_fault_exempt(true); /* which events of a thread fail is not to depend on which thread draws */
    pthread_mutex_lock(&all->lock);
    for (drawing *d; (d = take(all));) {
        pthread_mutex_unlock(&all->lock);
        const rw_status status = d->draw(all->ctx, d->path, &d->picture);
        pthread_mutex_lock(&all->lock);
        unlink_from(&all->active, d);
        free_drawing(d);
        if (status != RW_OK && all->status == RW_OK) {
            all->status = status;
            snprintf(all->message, sizeof all->message, "%s", rw_message(all->ctx));
        }
        pthread_cond_broadcast(&all->changed);
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* One more thread, where there may be one. It gets no signals: they are the host program's. */
static void add_thread(struct rw_drawings *all)
{
    sigset_t every, old;
    if (all->threads >= all->most) return;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &old);
    if (pthread_create(&all->thread[all->threads], NULL, work, all) == 0) all->threads++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static rw_status begin(rw_run *r)
{
    if (r->drawings) return RW_OK;
    struct rw_drawings *all = rw_calloc(1, sizeof *all);
    if (!all) return rw_fail_memory(r->ctx, sizeof *all, "pictures");
    *all = (struct rw_drawings){.ctx = r->ctx, .most = 1, .forks = rw_forks()};
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->changed, NULL);
    r->drawings = all;
    return RW_OK;
}

static bool has_threads(const struct rw_drawings *all) { return all && all->threads > 0 && all->forks == rw_forks(); }

/* A copy of the picture; `values` becomes the copy's, NULL: they are copied too. */
static drawing *copy(const char *path, const rw_field_picture *p, void *values)
{
    drawing *d = rw_calloc(1, sizeof *d);
    const size_t n = (size_t)rw_layout_count(p->grid), size = rw_dtype_size(p->type);
    if (d && !values && (values = rw_calloc(n, size))) memcpy(values, p->data, n * size);
    if (!d || !values) {
        rw_free(values);
        rw_free(d);
        return NULL;
    }
    snprintf(d->path, sizeof d->path, "%s", path);
    snprintf(d->title, sizeof d->title, "%s", p->title ? p->title : "");
    snprintf(d->subtitle, sizeof d->subtitle, "%s", p->subtitle ? p->subtitle : "");
    snprintf(d->name, sizeof d->name, "%s", p->name);
    snprintf(d->unit, sizeof d->unit, "%s", p->unit ? p->unit : "");
    d->grid = *p->grid;
    d->values = values;
    d->picture = *p;
    d->picture.title = d->title;
    d->picture.subtitle = d->subtitle;
    d->picture.name = d->name;
    d->picture.unit = d->unit;
    d->picture.grid = &d->grid;
    d->picture.data = values;
    return d;
}

/* Under the lock. */
static rw_status failure(struct rw_drawings *all)
{
    const rw_status status = all->status;
    all->status = RW_OK;
    return status == RW_OK ? RW_OK : rw_fail(all->ctx, status, "%s", all->message);
}

static bool is_full(const struct rw_drawings *all) { return all->waiting >= WAITING * all->most; }

static drawing *find(drawing *list, const char *path)
{
    while (list && strcmp(list->path, path) != 0) list = list->next;
    return list;
}

/* Under the lock: no other picture of this path is to be drawn after the one that comes. */
static void replace(struct rw_drawings *all, const char *path)
{
    while (find(all->active, path)) pthread_cond_wait(&all->changed, &all->lock);
    drawing *d = find(all->first, path), *last = NULL;
    if (!d) return;
    unlink_from(&all->first, d);
    for (drawing *i = all->first; i; i = i->next) last = i;
    all->last = last;
    all->waiting--;
    free_drawing(d);
}

rw_status rw_drawing_add(rw_run *r, const char *path, rw_picture_draw *draw, const rw_field_picture *p, double **own)
{
    const size_t bytes = (size_t)rw_layout_count(p->grid) * rw_dtype_size(p->type);
    const bool fits = bytes <= LARGE && strlen(p->name) < 64 && (!p->unit || strlen(p->unit) < 64) &&
                      (!p->title || strlen(p->title) < 256);
    if (fits) RW_TRY(begin(r));
    struct rw_drawings *all = r->drawings;
    if (fits && all->forks == rw_forks()) add_thread(all);
    if (!fits || !has_threads(all)) return draw(r->ctx, path, p);
    drawing *d = copy(path, p, *own);
    *own = NULL;
    if (!d) return rw_fail_memory(r->ctx, bytes, "a picture");
    d->draw = draw;
    pthread_mutex_lock(&all->lock);
    replace(all, path);
    while (is_full(all)) pthread_cond_wait(&all->changed, &all->lock);
    const rw_status status = failure(all);
    if (all->last) all->last->next = d;
    else all->first = d;
    all->last = d;
    all->waiting++;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    return status;
}

bool rw_drawing_busy(const rw_run *r)
{
    struct rw_drawings *all = r->drawings;
    if (!has_threads(all)) return false;
    pthread_mutex_lock(&all->lock);
    const bool full = is_full(all);
    pthread_mutex_unlock(&all->lock);
    return full;
}

void rw_drawing_hurry(rw_run *r)
{
    if (begin(r) != RW_OK) return; /* then one thread draws, or none */
    struct rw_drawings *all = r->drawings;
    const int most = RW_MIN(rw_usable_cores(), RW_COUNT(all->thread));
    pthread_mutex_lock(&all->lock);
    all->most = RW_MAX(most, 1);
    pthread_mutex_unlock(&all->lock);
}

rw_status rw_drawing_wait(rw_run *r)
{
    struct rw_drawings *all = r->drawings;
    if (!has_threads(all)) return RW_OK;
    pthread_mutex_lock(&all->lock);
    while (all->first || all->active) pthread_cond_wait(&all->changed, &all->lock);
    const rw_status status = failure(all);
    pthread_mutex_unlock(&all->lock);
    return status;
}

void rw_drawing_free(rw_run *r)
{
    struct rw_drawings *all = r->drawings;
    r->drawings = NULL;
    if (!all) return;
    if (all->forks == rw_forks()) { /* in a child there are neither threads nor, perhaps, a free lock */
        pthread_mutex_lock(&all->lock);
        all->closed = true;
        pthread_cond_broadcast(&all->changed);
        pthread_mutex_unlock(&all->lock);
        for (int i = 0; i < all->threads; i++) pthread_join(all->thread[i], NULL);
        pthread_cond_destroy(&all->changed);
        pthread_mutex_destroy(&all->lock);
    }
    for (drawing *d = all->first, *next; d; d = next) {
        next = d->next;
        free_drawing(d);
    }
    rw_free(all);
}
