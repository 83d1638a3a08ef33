/* User-defined operations (rw_image_own_register). */
#include <pthread.h>
#include <string.h>

#include "image/image.h"
#include "param/param.h"

enum { OPERATIONS = 64 };
static const rw_image_own *operations[OPERATIONS];
static int noperations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const rw_image_own *rw_image_own_get(int i) { return i >= 0 && i < noperations ? operations[i] : NULL; }

const rw_image_own *rw_image_own_find(const char *name, size_t n)
{
    for (int i = 0; i < noperations; ++i)
        if (strlen(operations[i]->name) == n && memcmp(operations[i]->name, name, n) == 0) return operations[i];
    return NULL;
}

static bool is_there(const char *name)
{
    for (int m = 1; m < RW_IMAGE_METHODS; ++m)
        if (strcmp(rw_image_method_name(m), name) == 0) return true;
    return rw_image_own_find(name, strlen(name));
}

rw_status rw_image_own_register(rw_context *ctx, const rw_image_own *o)
{
    RW_NEED(o, "operation");
    if (!o->name || !*o->name || strpbrk(o->name, ":| ") || !o->create || !o->execute)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "rw_image_own_register: the table needs a name without ':', '|' and spaces, and the functions create and "
            "execute");
    pthread_mutex_lock(&lock);
    const bool there = is_there(o->name), fits = noperations < OPERATIONS;
    if (!there && fits) operations[noperations++] = o;
    pthread_mutex_unlock(&lock);
    if (there)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "rw_image_own_register: the name %s is already in use: choose another name", o->name);
    return fits ? RW_OK
                : rw_fail(ctx, RW_ERR_ARGUMENT, "rw_image_own_register: all %d places for operations are in use",
                          OPERATIONS);
}

static rw_status own_create(rw_device *dev, rw_image_pass *p, const rw_image_shape *s, rw_dtype dtype RW_UNUSED)
{
    const unsigned failures = rw_failures();
    return rw_callback_status(dev->ctx,
                              p->own->create(dev, p->options, p->x_dtype, p->width, p->height, p->channels, s->planar,
                                             &p->state),
                              failures, p->own->name);
}

static rw_status own_run(rw_image_pass *p, const rw_image_shape *s RW_UNUSED, const rw_image_run *run)
{
    const unsigned failures = rw_failures();
    return rw_callback_status(run->queue->device->ctx,
                              p->own->execute(p->state, run->x.array, run->y.array, run->queue), failures,
                              p->own->name);
}

static void own_free(rw_image_pass *p)
{
    if (p->state && p->own->destroy) p->own->destroy(p->state);
}

const rw_image_pass_ops rw_image_own_ops = {.whole = true,
                                            .single = true,
                                            .create = own_create,
                                            .run = own_run,
                                            .free = own_free};
