/* src/results/report/axis.c - see axis.h. */
#include "report/axis.h"
#include "core/assert.h"

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

void weir_axis_draw(FILE *out, const struct weir_axis *axis)
{
    double free_from = axis->first;
    WEIR_ASSERT(axis->scale.ticks > 0 && axis->scale.ticks <= WEIR_SCALE_TICKS);
    (void)fprintf(out, "<path d=\"M%.1f %.1fH%.1f\"/>\n", axis->left, axis->bottom, axis->right);
    for (size_t i = 0; i < axis->scale.ticks; i++) {
        const struct weir_number text = axis->text(axis->scale.tick[i], axis->unit);
        double x = weir_axis_at(axis, axis->scale.tick[i]);
        double half = (double)weir_axis_letters(text.text) * WEIR_AXIS_LETTER / 2;
        (void)fprintf(out, "<path class=\"g\" d=\"M%.1f %.0fV%.1f\"/><path d=\"M%.1f %.1fv4\"/>\n", x, axis->top,
                      axis->bottom, x, axis->bottom);
        if (x - half < free_from || x + half > axis->last)
            continue;
        (void)fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"tm\">%s</text>\n", x, axis->bottom + 20, text.text);
        free_from = x + half + WEIR_AXIS_GAP;
    }
}
