/* src/commands/cli/report_figures.c - writes the figures of a report as files into a folder; see report_figures.h. */
#include "cli/report_figures.h"
#include "text/outfile.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FORMATS = 5 };
/* Widths and letters of figures, in points. */
#define WIDTH_MIN_PT 72.0
#define WIDTH_MAX_PT 2880.0
#define FONT_MIN_PT 4.0
#define FONT_MAX_PT 40.0

/* First characters of the files that weir_export_files() makes. */
static const char *const beginning[] = { "curve,", "<svg xmlns=", "%PDF-", "\x89PNG" };

/* Tests whether a file may be replaced: it does not exist, is empty, or begins as a figure of a report. */
static bool is_ours(const char *path)
{
    char head[16] = "";
    struct stat there;
    FILE *file;
    size_t length;
    if (stat(path, &there) != 0)
        return true; /* opening the file for writing will report any other error */
    file = S_ISREG(there.st_mode) ? fopen(path, "r") : NULL;
    if (file == NULL)
        return false;
    length = fread(head, 1, sizeof(head) - 1, file);
    (void)fclose(file);
    for (size_t i = 0; i < sizeof(beginning) / sizeof(beginning[0]); i++)
        if (strncmp(head, beginning[i], strlen(beginning[i])) == 0)
            return true;
    return length == 0;
}

static int put_file(const char *path, const char *bytes, size_t size, struct weir_err *err)
{
    struct weir_outfile out = { 0 };
    int code;
    if (!is_ours(path))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "choose another folder, or remove it first",
                         "%s: is there and is no figure of a report: not overwritten", path);
    code = weir_outfile_open(&out, path, NULL, err);
    if (code != 0)
        return code;
    if (fwrite(bytes, 1, size, out.file) != size) {
        (void)weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: cannot be written: %s", path, strerror(errno));
        weir_outfile_abandon(&out);
        return WEIR_E_FILE;
    }
    return weir_outfile_commit(&out, err);
}

static int put_figure(void *ctx, const char *name, const char *bytes, size_t size, struct weir_err *err)
{
    const struct weir_figure_folder *folder = ctx;
    size_t length = strlen(folder->name) + strlen(name) + 2;
    char *path = malloc(length);
    int code;
    if (path == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the name of a file");
    (void)snprintf(path, length, "%s/%s", folder->name, name);
    code = put_file(path, bytes, size, err);
    free(path);
    return code;
}

int weir_figure_formats(struct weir_figure_options *to, const char *list, struct weir_err *err)
{
    static const char *const name[] = { "svg", "svg-dark", "pdf", "png", "csv" };
    static const unsigned bit[] = { WEIR_FIGURE_SVG, WEIR_FIGURE_DARK, WEIR_FIGURE_PDF, WEIR_FIGURE_PNG,
                                    WEIR_FIGURE_CSV };
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ","), i = 0;
        while (i < FORMATS && (strlen(name[i]) != length || strncmp(at, name[i], length) != 0))
            i++;
        if (i == FORMATS)
            return weir_fail(
                err, WEIR_E_UNKNOWN, NULL, "--format svg,pdf",
                "--format %.40s: must be svg, svg-dark, pdf, png and csv, or some of these, separated by commas", list);
        to->formats |= bit[i];
        at += length;
        if (*at == '\0')
            return 0;
    }
}

int weir_figure_size(struct weir_figure_options *to, const char *text, struct weir_err *err)
{
    static const struct {
        const char *name;
        double pt;
    } unit[] = { { "in", 72 }, { "cm", 72 / 2.54 }, { "mm", 72 / 25.4 }, { "pt", 1 } };
    char *end;
    double value = isdigit((unsigned char)text[0]) ? strtod(text, &end) : (end = (char *)(uintptr_t)text, -1);
    for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
        if (strcmp(end, unit[i].name) == 0)
            to->width_pt = value * unit[i].pt;
    if (to->width_pt >= WIDTH_MIN_PT && to->width_pt <= WIDTH_MAX_PT)
        return 0;
    return weir_fail(err, WEIR_E_RANGE, NULL, "--size 3.3in",
                     "--size %.40s: must be a width from 1in to 40in, in in, cm, mm or pt", text);
}

int weir_figure_font(struct weir_figure_options *to, const char *text, struct weir_err *err)
{
    size_t length = strcspn(text, ",");
    bool plain = length > 0 && length < sizeof(to->font);
    char *end = NULL;
    for (size_t i = 0; i < length && plain; i++)
        plain = isalnum((unsigned char)text[i]) || text[i] == ' ' || text[i] == '-';
    if (text[length] == ',')
        to->font_pt = strtod(text + length + 1, &end);
    if (!plain || (end != NULL && (*end != '\0' || !(to->font_pt >= FONT_MIN_PT && to->font_pt <= FONT_MAX_PT))))
        return weir_fail(
            err, WEIR_E_SYNTAX, NULL, "--font Helvetica,8",
            "--font %.80s: must be a name of letters, digits, blanks and -, and 4 to 40 points behind a comma", text);
    (void)snprintf(to->font, sizeof(to->font), "%.*s", (int)length, text);
    return 0;
}

int weir_figure_folder_open(struct weir_figure_folder *folder, const char *name,
                            const struct weir_figure_options *options, struct weir_err *err)
{
    struct stat there;
    *folder = (struct weir_figure_folder){ .name = name,
                                           .figures = { .put = put_figure,
                                                        .ctx = folder,
                                                        .formats = options->formats,
                                                        .width_pt = options->width_pt,
                                                        .font = options->font[0] != '\0' ? options->font : NULL,
                                                        .font_pt = options->font_pt,
                                                        .convert = "rsvg-convert" } };
    if (mkdir(name, 0777) == 0 || (errno == EEXIST && stat(name, &there) == 0 && S_ISDIR(there.st_mode)))
        return 0;
    return weir_fail(err, WEIR_E_FILE, NULL, NULL, "--figures %s: %s", name,
                     errno == EEXIST ? "is there and is no folder" : strerror(errno));
}
