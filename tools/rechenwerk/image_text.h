/* rechenwerk image --text: a filter of the user's own, written in the expression language. */
#ifndef IMAGE_TEXT_H
#define IMAGE_TEXT_H

#include "command.h"
#include "rechenwerk/expr.h"

typedef struct image_text {
    const char *text;   /* NULL: there is none */
    rw_boundary border; /* beyond all sides */
    rw_array *x, *y;    /* the images, [height][width][channels]; they stay their owner's */
    rw_array *u, *o;    /* one channel: what the text reads and assigns */
    rw_expr *e;
} image_text;

/* Reads --text and its --set. An exit code after a message. */
int read_image_text(const arguments *a, image_text *t);
/* x and y as above, of any types; *plan: what one channel costs. */
rw_status create_image_text(image_text *t, rw_array *x, rw_array *y, rw_expr_plan *plan);
/* y <- the text of each channel of x; the alpha of two or four channels as it is. user: an image_text. */
rw_status run_image_text(void *user, rw_queue *queue);
void destroy_image_text(image_text *t);

#endif
