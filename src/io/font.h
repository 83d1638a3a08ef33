/* Text as strokes: our own upright alphabet of lines and arcs, drawn anti-aliased, made to be read at 12 to 28 pixels.
 *
 * UTF-8. Known: printable ASCII, ä ö ü Ä Ö Ü ß Å é, the Greek letters that are no Latin look-alikes, superscript and
 * subscript digits, ₓ ᵢ ⱼ ₙ ⁿ, and ° ± × · − – → ≤ ≥ ≈ ∂ ∇ ∞ √ ∫ ′ ‖; anything else is an empty box. */
#ifndef RW_FONT_H
#define RW_FONT_H

#include "io/canvas.h"

typedef enum rw_text_align { RW_TEXT_LEFT, RW_TEXT_CENTER, RW_TEXT_RIGHT } rw_text_align;

/* Lengths in parts of the size, for layout: the height of capitals and digits, and the depth below the baseline. */
#define RW_FONT_CAP 0.70
#define RW_FONT_DEPTH 0.24

/* Length of the text in pixels. */
double rw_font_width(const char *text, double size);
/* Draws along the baseline through (x, y); `up` turns the text by 90 degrees to read from bottom to top. weight 1 is
 * normal, 1.3 bold. */
void rw_font_draw(rw_canvas *canvas, const char *text, double x, double y, double size, rw_text_align align, bool up,
                  double weight, rw_color color);

#endif
