/* src/results/report/axis.c - see axis.h. */
#include "report/axis.h"
#include "core/assert.h"
#include <stdbool.h>

size_t weir_axis_letters(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

double weir_axis_at(const struct weir_axis *axis, double value)
{
    return axis->left + weir_scale_at(&axis->scale, value) * (axis->right - axis->left);
}

/* Writes the number of tick i at *text. Returns half of its width. */
static double number_at(const struct weir_axis *axis, size_t i, struct weir_number *text)
{
    *text = axis->text(axis->scale.tick[i], axis->unit);
    return (double)weir_axis_letters(text->text) * WEIR_AXIS_LETTER / 2;
}

/* Returns the least n such that the numbers of every nth tick do not run into each other. A logarithmic scale has other
 * distances: 1. */
static size_t numbered(const struct weir_axis *axis)
{
    for (size_t every = 1; every < axis->scale.ticks && !axis->scale.log; every++) {
        double free_from = axis->first;
        bool fits = true;
        for (size_t i = 0; i < axis->scale.ticks; i += every) {
            struct weir_number text;
            double x = weir_axis_at(axis, axis->scale.tick[i]), half = number_at(axis, i, &text);
            if (x + half > axis->last)
                continue;
            fits = fits && x - half >= free_from;
            free_from = x + half + WEIR_AXIS_GAP;
        }
        if (fits)
            return every;
    }
    return 1;
}

void weir_axis_draw(FILE *out, const struct weir_axis *axis)
{
    double free_from = axis->first;
    size_t every = numbered(axis);
    WEIR_ASSERT(axis->scale.ticks > 0 && axis->scale.ticks <= WEIR_SCALE_TICKS);
    (void)fprintf(out, "<path d=\"M%.1f %.1fH%.1f\"/>\n", axis->left, axis->bottom, axis->right);
    for (size_t i = 0; i < axis->scale.ticks; i++) {
        struct weir_number text;
        double x = weir_axis_at(axis, axis->scale.tick[i]), half = number_at(axis, i, &text);
        (void)fprintf(out, "<path class=\"g\" d=\"M%.1f %.0fV%.1f\"/><path d=\"M%.1f %.1fv4\"/>\n", x, axis->top,
                      axis->bottom, x, axis->bottom);
        if (i % every != 0 || x - half < free_from || x + half > axis->last)
            continue;
        (void)fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"tm\">%s</text>\n", x, axis->bottom + 20, text.text);
        free_from = x + half + WEIR_AXIS_GAP;
    }
}
