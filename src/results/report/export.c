/* src/results/report/export.c - see export.h. */
#include "report/export.h"
#include "output/csv.h"
#include "report/html.h"
#include "report/process.h"
#include "report/style.h"
#include "text/memory.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 160 /* of a file's name, without suffix and number */
#define LETTER 15          /* height of letters, in units of a drawing */
#define POINTS 0.75        /* a unit in points, at the default size */
#define FONT_PT 8.0        /* letters in a drawing of a given width */
#define DPI "300"          /* of PNG */
#define TITLE_HEIGHT 30
#define KEY_HEIGHT 21 /* height of a line of the legend */

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for a figure's files");
}

/* Appends the letters and digits of a text in lower case. Adjacent other characters become a single character
 * `between`, but not at the start or end of `out`. `between` also separates the appended text from a text that `out`
 * already has. */
static void put_plain(char *out, size_t size, const char *text, char between)
{
    size_t at = strlen(out);
    bool gap = at > 0;
    for (const char *c = text; *c != '\0' && at + 2 < size; c++) {
        bool plain = isalnum((unsigned char)*c) && (unsigned char)*c < 0x80;
        if (plain && gap)
            out[at++] = between;
        gap = !plain && at > 0;
        if (plain)
            out[at++] = (char)tolower((unsigned char)*c);
    }
    out[at] = '\0';
}

static bool exists(const struct weir_export *exports, const char *name)
{
    for (size_t i = 0; i < exports->count; i++)
        if (strcmp(exports->name[i], name) == 0)
            return true;
    return false;
}

/* Makes a file name from the parts, different from all names made before, and adds it to exports. Returns the name,
 * owned by exports; NULL = no memory. */
static const char *new_name(struct weir_export *exports, const char *const part[WEIR_EXPORT_PARTS])
{
    char plain[NAME_MAX_BYTES] = "", name[NAME_MAX_BYTES + 24];
    char **grown = realloc(exports->name, (exports->count + 1) * sizeof(*grown));
    if (grown == NULL)
        return NULL;
    exports->name = grown;
    for (size_t i = 0; i < WEIR_EXPORT_PARTS; i++)
        if (part[i] != NULL)
            put_plain(plain, sizeof(plain), part[i], '-');
    if (plain[0] == '\0')
        (void)snprintf(plain, sizeof(plain), "figure");
    (void)snprintf(name, sizeof(name), "%s", plain);
    for (size_t number = 2; exists(exports, name); number++)
        (void)snprintf(name, sizeof(name), "%s-%zu", plain, number);
    grown[exports->count] = strdup(name);
    return grown[exports->count] != NULL ? grown[exports->count++] : NULL;
}

void weir_export_free(struct weir_export *exports)
{
    for (size_t i = 0; i < exports->count; i++)
        free(exports->name[i]);
    free(exports->name);
    *exports = (struct weir_export){ 0 };
}

/* Writes a comma and the name of the column of an axis, made of title and unit of the axis:
 * ",goodput_per_host_gbps". */
static void put_column(FILE *out, const struct weir_plot_axis *axis)
{
    static const char *const unit[] = {
        [WEIR_UNIT_BYTES] = "bytes", [WEIR_UNIT_PS] = "ps",       [WEIR_UNIT_S] = "s",
        [WEIR_UNIT_GBPS] = "gbps",   [WEIR_UNIT_PER_S] = "per_s",
    };
    char name[128] = "";
    put_plain(name, sizeof(name), axis->title, '_');
    if (unit[axis->unit] != NULL)
        put_plain(name, sizeof(name), unit[axis->unit], '_');
    (void)fprintf(out, ",%s", name);
}

/* Writes a comma, and after it the number if `there` is true and the number is finite; else the cell stays empty. */
static void put_number(FILE *out, double number, bool there)
{
    if (there && isfinite(number))
        (void)fprintf(out, ",%.10g", number);
    else
        (void)fputc(',', out);
}

void weir_export_csv(FILE *out, const struct weir_plot *plot)
{
    (void)fputs("curve,runs", out);
    put_column(out, &plot->x);
    (void)fputs(",from,to", out);
    put_column(out, &plot->y);
    (void)fputs(",least,greatest,values\n", out);
    for (size_t i = 0; i < plot->curve_count; i++) {
        const struct weir_curve *c = &plot->curve[i];
        for (size_t k = 0; k < c->count; k++) {
            const struct weir_plot_point *p = &c->point[k];
            weir_csv_text(out, c->name);
            (void)fprintf(out, ",%zu", c->runs > 0 ? c->runs : 1);
            put_number(out, p->x, true);
            put_number(out, p->lo, p->hi > p->lo);
            put_number(out, p->hi, p->hi > p->lo);
            put_number(out, plot->kind == WEIR_PLOT_TAIL ? 1 - p->y : p->y, true);
            put_number(out, p->low, c->runs > 1);
            put_number(out, p->high, c->runs > 1);
            put_number(out, p->count, p->count > 0);
            (void)fputc('\n', out);
        }
    }
}

static size_t keys_of(const struct weir_plot *plot)
{
    size_t drawn = plot->curve_count < WEIR_PLOT_CURVES_MAX ? plot->curve_count : WEIR_PLOT_CURVES_MAX;
    return drawn > 1 || plot->dropped ? drawn : 0;
}

/* Returns how many points a unit of the drawing is. Letters are LETTER units high. */
static double unit_pt(const struct weir_export_figure *figure)
{
    const struct weir_report_figures *to = figure->to;
    if (to == NULL || (to->width_pt == 0 && to->font_pt == 0))
        return POINTS;
    return (to->font_pt > 0 ? to->font_pt : FONT_PT) / LETTER;
}

/* Returns the width of the drawing in units. */
static size_t width_of(const struct weir_export_figure *figure)
{
    bool given = figure->to != NULL && figure->to->width_pt > 0;
    return given ? (size_t)(figure->to->width_pt / unit_pt(figure) + 0.5) : WEIR_PLOT_WIDTH;
}

/* Writes the beginning of an SVG file, up to the drawing: its size, style sheet, marks, ground and title. */
static void svg_begin(FILE *out, const struct weir_export_figure *figure, size_t height)
{
    size_t width = width_of(figure);
    bool given = figure->in_points || (figure->to != NULL && (figure->to->width_pt > 0 || figure->to->font_pt > 0));
    double unit = given ? unit_pt(figure) : 1;
    const char *in = given ? "pt" : "";
    (void)fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%g%s\" "
        "height=\"%g%s\" viewBox=\"0 0 %zu %zu\">\n<style>\n",
        figure->to != NULL && figure->to->width_pt > 0 ? figure->to->width_pt : (double)width * unit, in,
        (double)height * unit, in, width, height);
    weir_style_drawing(out, figure->to != NULL ? figure->to->font : NULL);
    (void)fputs("</style>\n", out);
    weir_style_marks(out);
    (void)fprintf(
        out,
        "<rect width=\"%zu\" height=\"%zu\" fill=\"var(--ground)\"/>\n<text x=\"12\" y=\"21\" font-weight=\"600\">",
        width, height);
    weir_html_text(out, figure->title);
    (void)fputs("</text>\n", out);
}

/* Returns the height of a drawing with its legend. */
static size_t part_height(const struct weir_plot *part, size_t height)
{
    size_t keys = keys_of(part);
    return height + keys * KEY_HEIGHT + (keys > 0 ? KEY_HEIGHT / 2 : 0);
}

/* Writes a line of a legend, around y. */
static void put_key(FILE *out, const struct weir_line_style *style, bool hollow, const char *name, size_t y)
{
    (void)fprintf(out, "<g class=\"key\" transform=\"translate(12,%zu)\">", y - 6);
    weir_line_style_key(out, style, hollow);
    (void)fprintf(out, "</g><text x=\"60\" y=\"%zu\">", y + 5);
    weir_html_text(out, name);
    (void)fputs("</text>\n", out);
}

/* Writes a drawing with its legend below `top`. */
static int put_part(FILE *out, const struct weir_plot *part, size_t top, const char *gnuplot, struct weir_err *err)
{
    int code = 0;
    (void)fprintf(out, "<g transform=\"translate(0,%zu)\"><svg width=\"%zu\" height=\"%zu\">\n", top, part->width,
                  part->height);
    if (weir_plot_points(part) > 0)
        code = weir_plot_draw(out, part, gnuplot, err);
    (void)fputs("</svg></g>\n", out);
    for (size_t i = 0; i < keys_of(part); i++) {
        const struct weir_line_style style = weir_curve_style(&part->curve[i]);
        put_key(out, &style, weir_curve_is_hollow(part, &part->curve[i]), part->curve[i].name,
                top + part->height + i * KEY_HEIGHT + KEY_HEIGHT / 2);
    }
    return code;
}

static int plot_svg(FILE *out, const struct weir_export_figure *figure, struct weir_err *err)
{
    struct weir_plot plot = *(const struct weir_plot *)figure->of, part; /* of another size, and its curves lent */
    size_t top = TITLE_HEIGHT, height = TITLE_HEIGHT;
    int code = 0;
    plot.width = width_of(figure);
    plot.height = plot.width * WEIR_PLOT_HEIGHT / WEIR_PLOT_WIDTH;
    for (size_t i = 0; weir_plot_part(&plot, i, &part); i++)
        height += part_height(&part, plot.height);
    svg_begin(out, figure, height);
    for (size_t i = 0; code == 0 && weir_plot_part(&plot, i, &part); i++) {
        code = put_part(out, &part, top, figure->gnuplot, err);
        top += part_height(&part, plot.height);
    }
    (void)fputs("</svg>\n", out);
    return code;
}

static int dots_svg(FILE *out, const struct weir_export_figure *figure, struct weir_err *err)
{
    struct weir_dots dots = *(const struct weir_dots *)figure->of;
    size_t height;
    (void)err;
    dots.width = width_of(figure);
    height = weir_dots_height(&dots);
    svg_begin(out, figure, TITLE_HEIGHT + height);
    (void)fprintf(out, "<g transform=\"translate(0,%d)\"><svg width=\"%zu\" height=\"%zu\">\n", TITLE_HEIGHT,
                  dots.width, height);
    weir_dots_draw(out, &dots);
    (void)fputs("</svg></g>\n</svg>\n", out);
    return 0;
}

static int gantt_svg(FILE *out, const struct weir_export_figure *figure, struct weir_err *err)
{
    struct weir_gantt gantt = *(const struct weir_gantt *)figure->of;
    size_t height;
    (void)err;
    gantt.width = width_of(figure);
    height = TITLE_HEIGHT + weir_gantt_height(&gantt);
    svg_begin(out, figure, height + gantt.lanes * KEY_HEIGHT + KEY_HEIGHT / 2);
    (void)fprintf(out, "<g transform=\"translate(0,%d)\"><svg width=\"%zu\" height=\"%zu\">\n", TITLE_HEIGHT,
                  gantt.width, weir_gantt_height(&gantt));
    weir_gantt_draw(out, &gantt);
    (void)fputs("</svg></g>\n", out);
    for (size_t i = 0; i < gantt.lanes; i++)
        put_key(out, &gantt.style[i], false, gantt.lane[i], height + i * KEY_HEIGHT + KEY_HEIGHT / 2);
    (void)fputs("</svg>\n", out);
    return 0;
}

static void gantt_csv(FILE *out, const void *of)
{
    weir_gantt_csv(out, of);
}

struct weir_export_figure weir_export_of_gantt(const struct weir_gantt *gantt)
{
    return (struct weir_export_figure){ .title = gantt->title, .of = gantt, .svg = gantt_svg, .csv = gantt_csv };
}

static void plot_csv(FILE *out, const void *of)
{
    weir_export_csv(out, of);
}

static void dots_csv(FILE *out, const void *of)
{
    weir_dots_csv(out, of);
}

struct weir_export_figure weir_export_of_plot(const struct weir_plot *plot, const char *gnuplot)
{
    return (struct weir_export_figure){
        .title = plot->title, .of = plot, .svg = gnuplot != NULL ? plot_svg : NULL, .csv = plot_csv, .gnuplot = gnuplot
    };
}

struct weir_export_figure weir_export_of_dots(const struct weir_dots *dots)
{
    return (struct weir_export_figure){ .title = dots->title, .of = dots, .svg = dots_svg, .csv = dots_csv };
}

static int memory_end(struct weir_memory *m, int code, struct weir_err *err)
{
    bool whole = weir_memory_close(m);
    return code == 0 && !whole ? no_memory(err) : code;
}

int weir_export_svg(FILE *out, const struct weir_export_figure *figure, struct weir_err *err)
{
    struct weir_memory m;
    int code = 0;
    if (weir_memory_open(&m) != NULL)
        code = figure->svg(m.file, figure, err);
    code = memory_end(&m, code, err);
    if (code == 0)
        weir_style_plain(out, m.bytes, figure->dark);
    free(m.bytes);
    return code;
}

static const struct { /* the files of a figure; in the order in which they are made */
    unsigned bit;
    const char *end, *convert_to;
} formats[] = {
    { WEIR_FIGURE_CSV, ".csv", NULL },  { WEIR_FIGURE_SVG, ".svg", NULL },  { WEIR_FIGURE_DARK, "-dark.svg", NULL },
    { WEIR_FIGURE_PDF, ".pdf", "pdf" }, { WEIR_FIGURE_PNG, ".png", "png" },
};

/* Replaces an SVG in memory by what rsvg-convert makes of it. */
static int convert(struct weir_memory *m, const char *program, const char *to, struct weir_err *err)
{
    const char *const argv[] = { program, "--format", to, "--dpi-x", DPI, "--dpi-y", DPI, NULL };
    char *made;
    int code = weir_process_run(argv, m->bytes, &made, &m->length, err);
    if (code == WEIR_E_UNKNOWN)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "Debian has it in librsvg2-bin; --format svg,csv needs none",
                         "--format %s: there is no program %s", to, program);
    if (code != 0)
        return code;
    free(m->bytes);
    m->bytes = made;
    return 0;
}

/* Makes one file of a figure in memory and passes it to exports->to->put(). name: of the file, without its end */
static int hand_over(const struct weir_export *exports, struct weir_export_figure *figure, size_t format,
                     const char *name, struct weir_err *err)
{
    char file[NAME_MAX_BYTES + 32];
    struct weir_memory m;
    int code = 0;
    (void)snprintf(file, sizeof(file), "%s%s", name, formats[format].end);
    figure->dark = formats[format].bit == WEIR_FIGURE_DARK;
    figure->in_points = formats[format].convert_to != NULL;
    if (weir_memory_open(&m) != NULL && formats[format].bit == WEIR_FIGURE_CSV)
        figure->csv(m.file, figure->of);
    else if (m.file != NULL)
        code = weir_export_svg(m.file, figure, err);
    code = memory_end(&m, code, err);
    if (code == 0 && figure->in_points)
        code = convert(&m, exports->to->convert, formats[format].convert_to, err);
    if (code == 0)
        code = exports->to->put(exports->to->ctx, file, m.bytes, m.length, err);
    free(m.bytes);
    return code;
}

int weir_export_files(struct weir_export *exports, const struct weir_export_figure *figure,
                      const char *const part[WEIR_EXPORT_PARTS], struct weir_err *err)
{
    unsigned wanted = exports->to->formats != 0 ? exports->to->formats : WEIR_FIGURE_SVG | WEIR_FIGURE_CSV;
    const char *name = new_name(exports, part);
    struct weir_export_figure sized = *figure;
    int code = name != NULL ? 0 : no_memory(err);
    sized.to = exports->to;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]) && code == 0; i++)
        if ((wanted & formats[i].bit) != 0 && (figure->svg != NULL || formats[i].bit == WEIR_FIGURE_CSV))
            code = hand_over(exports, &sized, i, name, err);
    return code;
}
