/* Several mistakes of one input, reported at once.
 *
 *   rw_mistakes m;
 *   rw_mistakes_begin(&m);                      from here on this thread collects
 *   RW_NOTE(check_key(…));                      a mistake is noted, and checking goes on after it
 *   return rw_mistakes_end(ctx, &m, status);    ERR_INPUT when there was one: a line of the message for each
 *
 * A mistake is an ERR_INPUT; all other failures end the checks at once. Without a collector RW_NOTE is RW_TRY, so a
 * function that uses it serves both kinds of callers. Collectors nest; each thread has its own.
 * Cost: O(bytes) a mistake. At most RW_MISTAKES are kept, equal ones once; further ones are counted. */
#include <string.h>

#include "core/core.h"

static _Thread_local rw_mistakes *collector;

void rw_mistakes_begin(rw_mistakes *m)
{
    *m = (rw_mistakes){.outer = collector};
    collector = m;
}

/* Whether the message is a line, or several, of those noted. */
static bool noted(const rw_mistakes *m, const char *message)
{
    size_t n = strlen(message);
    for (const char *at = m->text.data; at && (at = strstr(at, message)); at++)
        if ((at == m->text.data || at[-1] == '\n') && (at[n] == '\n' || !at[n])) return true;
    return false;
}

bool rw_mistake(rw_context *ctx, rw_status status)
{
    rw_mistakes *m = collector;
    if (!m || status != RW_ERR_INPUT) return false;
    const char *message = rw_message(ctx);
    m->met++;
    if (noted(m, message)) return true;
    if (++m->n <= RW_MISTAKES) rw_text_add(&m->text, "%s%s", m->text.length ? "\n" : "", message);
    return true;
}

int rw_mistakes_met(void) { return collector ? collector->met : 0; }

rw_status rw_mistakes_end(rw_context *ctx, rw_mistakes *m, rw_status status)
{
    if (status == RW_ERR_INPUT) rw_mistake(ctx, status);
    collector = m->outer;
    if ((status == RW_OK || status == RW_ERR_INPUT) && m->n > 0) {
        status = RW_ERR_INPUT;
        if (m->n > RW_MISTAKES) rw_text_add(&m->text, "\nand %d more", m->n - RW_MISTAKES);
        if (m->text.failed) status = rw_fail_memory(ctx, m->text.length, "a message");
        else rw_fail(ctx, status, "%s", m->text.data);
    }
    rw_text_free(&m->text);
    return status;
}
