/* src/results/report/line_style.c - see line_style.h. The colours of shade 0 are Okabe and Ito's, which colour-blind
 * readers can distinguish, darker on a light page and lighter on a dark one. Shades have the hue of their colour, and a
 * contrast with the page from 12.5 down to 3.1, in equal factors. */
#include "report/line_style.h"
#include "core/assert.h"
#include "registry.h"
#include <stdlib.h>
#include <string.h>

static const char *const light[WEIR_STYLE_KINDS][1 + WEIR_STYLE_SHADES] = {
    { "#0072b2", "#003659", "#024e7c", "#03659e", "#1b7ebf", "#3e99dc" },
    { "#d55e00", "#5a2300", "#7d3501", "#a14501", "#c65804", "#e87024" },
    { "#009e73", "#003c29", "#04553d", "#066e50", "#0b8964", "#19a67a" },
    { "#b8558f", "#680148", "#832460", "#9d3d77", "#b95690", "#d670ab" },
    { "#8c6d00", "#423200", "#5d4802", "#785d03", "#947412", "#af8f36" },
    { "#2f9bd6", "#003753", "#024f74", "#026795", "#0580b8", "#2f9bd6" },
    { "#5d4bb0", "#391e81", "#4d399c", "#6251b6", "#796ad2", "#9284ef" },
    { "#444b52", "#2e353b", "#444b52", "#5a6269", "#727981", "#8b939b" },
};
static const char *const dark[WEIR_STYLE_KINDS][1 + WEIR_STYLE_SHADES] = {
    { "#56b4e9", "#bee5fe", "#68c5fb", "#45a5d9", "#2188ba", "#066d99" },
    { "#ff8a3d", "#fed8c4", "#fea774", "#f07c2c", "#cb620c", "#a44d05" },
    { "#2fcf9f", "#66f9c6", "#36d3a3", "#06b185", "#08916d", "#027456" },
    { "#e79fc8", "#ffd4eb", "#eea6cf", "#cc86af", "#ae6a92", "#925177" },
    { "#e6c229", "#ffde63", "#ddb915", "#b89905", "#977d06", "#796402" },
    { "#a5dcff", "#bfe5ff", "#8cc2e5", "#6da2c3", "#5185a5", "#376b8a" },
    { "#b0a3ff", "#e0ddff", "#bcb3fe", "#9d90ea", "#8273cb", "#6959ae" },
    { "#d2d8de", "#dbe1e7", "#b6bcc2", "#979ca2", "#7b8086", "#61676c" },
};
static const struct {
    const char *svg, *gnuplot; /* the same dashes for SVG and for gnuplot, whose unit is half the line's width */
} dashes[WEIR_STYLE_KINDS] = {
    { "", "solid" },      { "9,4", "(9,4)" },
    { "3,3", "(3,3)" },   { "12,4,3,4", "(12,4,3,4)" },
    { "18,5", "(18,5)" }, { "9,3,2,3,2,3", "(9,3,2,3,2,3)" },
    { "5,3", "(5,3)" },   { "2,6", "(2,6)" },
};
static const uint8_t marks[WEIR_STYLE_KINDS] = { 7, 5, 9, 13, 11, 15, 6, 4 };

/* Returns a number that follows from a name alone (FNV-1a). */
static uint32_t hash(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

static struct weir_line_style style_of_name(const char *protocol)
{
    uint32_t h = hash(protocol);
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++)
        if (strcmp(p->name, protocol) == 0 && p->style.hue != 0)
            return (
                struct weir_line_style){ .hue = p->style.hue, .dash = p->style.dash - 1, .mark = p->style.mark - 1 };
    return (struct weir_line_style){ .hue = 1 + h % WEIR_STYLE_KINDS,
                                     .dash = h / WEIR_STYLE_KINDS % WEIR_STYLE_KINDS,
                                     .mark = h / (WEIR_STYLE_KINDS * WEIR_STYLE_KINDS) % WEIR_STYLE_KINDS };
}

struct weir_line_style weir_line_style_of(const char *protocol, size_t variant, size_t variants)
{
    struct weir_line_style style = protocol[0] != '\0' ? style_of_name(protocol) : weir_line_style_at(0);
    WEIR_ASSERT(variant < variants);
    if (variants == 1)
        return style;
    style.shade = (uint8_t)(1 + (variants <= WEIR_STYLE_SHADES ? variant * (WEIR_STYLE_SHADES - 1) / (variants - 1)
                                                               : variant % WEIR_STYLE_SHADES));
    style.mark = (uint8_t)((style.mark + variant) % WEIR_STYLE_KINDS);
    style.dash = (uint8_t)((style.dash + variant / WEIR_STYLE_SHADES) % WEIR_STYLE_KINDS);
    return style;
}

struct weir_line_style weir_line_style_at(size_t position)
{
    uint8_t at = position % WEIR_STYLE_KINDS;
    return (struct weir_line_style){ .hue = at + 1, .dash = at, .mark = at };
}

const char *weir_line_style_colour(unsigned hue, unsigned shade, bool is_dark)
{
    WEIR_ASSERT(hue >= 1 && hue <= WEIR_STYLE_KINDS && shade <= WEIR_STYLE_SHADES);
    return (is_dark ? dark : light)[hue - 1][shade];
}

void weir_line_style_name(char out[8], unsigned hue, unsigned shade)
{
    WEIR_ASSERT(hue <= WEIR_STYLE_KINDS && shade <= WEIR_STYLE_SHADES);
    static const char *const shades[] = { "", "a", "b", "c", "d", "e" };
    (void)snprintf(out, 8, "c%u%s", hue % 10, shades[shade]);
}

const char *weir_line_style_dash(const struct weir_line_style *style)
{
    return dashes[style->dash].svg;
}

const char *weir_line_style_dash_gnuplot(const struct weir_line_style *style)
{
    return dashes[style->dash].gnuplot;
}

int weir_line_style_mark(const struct weir_line_style *style)
{
    return marks[style->mark];
}

void weir_line_style_key(FILE *out, const struct weir_line_style *style, bool hollow)
{
    const char *dash = weir_line_style_dash(style);
    char name[8];
    weir_line_style_name(name, style->hue, style->shade);
    (void)fprintf(out, "<g color=\"var(--%s)\"><path d=\"M0 6H40\" stroke=\"currentColor\" stroke-width=\"2\"", name);
    if (dash[0] != '\0') /* the middle of the first dash is below the mark: a gap there would not be seen */
        (void)fprintf(out, " stroke-dasharray=\"%s\" stroke-dashoffset=\"%g\"", dash, strtod(dash, NULL) / 2 - 20);
    (void)fputs("/>", out);
    (void)fprintf(out, "<use href=\"#%c%d\" x=\"20\" y=\"6\"/></g>", hollow ? 'h' : 'm',
                  weir_line_style_mark(style) - 1);
}
