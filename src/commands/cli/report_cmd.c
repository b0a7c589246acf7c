/* src/commands/cli/report_cmd.c - `weir report`: makes an HTML page of result files. The page appears when it is
 * complete, and never replaces a file that is not an HTML page. */
#include "cli/cli.h"
#include "cli/report_cmd.h"
#include "cli/report_figures.h"
#include "config/input.h"
#include "report/report.h"
#include "text/options.h"
#include "text/outfile.h"
#include "text/stop.h"
#include "text/version.h"
#include "text/wait.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct report_args {
    const char **db; /* owned array of lent names */
    size_t db_count;
    const char *given_out; /* -o; NULL = not given */
    const char *only;      /* --runs; NULL = all runs */
    const char **where;    /* --only; owned array of lent texts */
    size_t where_count;
    const char *figures;              /* --figures: a folder; NULL = none */
    struct weir_figure_options files; /* --format, --size and --font */
    const char *about_files;          /* the last of these that was given; NULL = none */
    const char *text_file;            /* --text; NULL = none */
    const char *published_file;       /* --published; NULL = none */
    char *text, *published;           /* contents of these files; owned */
    char *out;                        /* name of the page; owned */
    bool interactive, help;
};

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the command line");
}

char *weir_report_page_name(const char *given, const char *first)
{
    const char *slash = strrchr(first, '/'), *dot = strrchr(first, '.');
    size_t stem =
        dot != NULL && dot > first && (slash == NULL || dot > slash + 1) ? (size_t)(dot - first) : strlen(first);
    char *name = given != NULL ? strdup(given) : malloc(stem + sizeof(".html"));
    if (name != NULL && given == NULL) {
        memcpy(name, first, stem);
        memcpy(name + stem, ".html", sizeof(".html"));
    }
    return name;
}

/* Sets args->out to the name of the page. */
static int choose_out(struct report_args *args, struct weir_err *err)
{
    args->out = weir_report_page_name(args->given_out, args->db[0]);
    return args->out != NULL ? 0 : no_memory(err);
}

static int take_db(void *ctx, const char *argument, struct weir_err *err)
{
    struct report_args *args = ctx;
    (void)err;
    args->db[args->db_count++] = argument;
    return 0;
}

bool weir_report_is_run_list(const char *text)
{
    for (;; text++) {
        size_t digits = strspn(text, "0123456789");
        if (digits == 0 || text[0] == '0')
            return false;
        text += digits;
        if (*text != ',')
            return *text == '\0';
    }
}

static int apply_runs(void *ctx, const char *value, struct weir_err *err)
{
    struct report_args *args = ctx;
    args->only = value;
    return weir_report_is_run_list(value)
               ? 0
               : weir_fail(err, WEIR_E_SYNTAX, NULL, "sqlite3 OUT.db 'SELECT id, label FROM run' lists them",
                           "--runs %.80s: must be numbers of runs, like 3,14,15", value);
}

static int apply_only(void *ctx, const char *value, struct weir_err *err)
{
    struct report_args *args = ctx;
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir report OUT.db --only protocol.name=sird",
                         "--only %.80s: must be KEY=VALUE", value);
    args->where[args->where_count++] = value;
    return 0;
}

static int apply_format(void *ctx, const char *value, struct weir_err *err)
{
    struct report_args *args = ctx;
    args->about_files = "--format";
    return weir_figure_formats(&args->files, value, err);
}

static int apply_size(void *ctx, const char *value, struct weir_err *err)
{
    struct report_args *args = ctx;
    args->about_files = "--size";
    return weir_figure_size(&args->files, value, err);
}

static int apply_font(void *ctx, const char *value, struct weir_err *err)
{
    struct report_args *args = ctx;
    args->about_files = "--font";
    return weir_figure_font(&args->files, value, err);
}

enum { TEXT_MAX_BYTES = 1 << 24 };

/* Reads a whole file, which the caller frees; sets *text to NULL if there is none to read. option, name: as given, name
 * NULL = not given */
static int read_text(char **text, const char *option, const char *name, struct weir_err *err)
{
    const char *why;
    size_t length;
    *text = NULL;
    if (name == NULL)
        return 0;
    *text = weir_input_read(name, true, TEXT_MAX_BYTES, &length, &why);
    if (*text == NULL && why == NULL)
        return no_memory(err);
    if (*text == NULL)
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s %s: cannot be read: %s", option, name, why);
    if (length > TEXT_MAX_BYTES)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "%s %s: longer than %d bytes", option, name, TEXT_MAX_BYTES);
    return 0;
}

#define FIELD(field) (uint32_t) offsetof(struct report_args, field)

static const struct weir_option rows[] = {
    { .name = "-o",
      .value = "the name of a file",
      .offset = FIELD(given_out),
      .hint = "weir report OUT.db -o OUT.html" },
    { .name = "--runs", .value = "numbers of runs", .apply = apply_runs },
    { .name = "--only", .value = "a key and its value", .apply = apply_only },
    { .name = "--figures", .value = "the name of a folder", .offset = FIELD(figures) },
    { .name = "--format", .value = "formats", .apply = apply_format },
    { .name = "--size", .value = "a width", .apply = apply_size },
    { .name = "--font", .value = "the name of a font", .apply = apply_font },
    { .name = "--interactive", .offset = FIELD(interactive) },
    { .name = "--text", .value = "the name of a file", .offset = FIELD(text_file) },
    { .name = "--published", .value = "the name of a file", .offset = FIELD(published_file) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { 0 },
};

static int parse(struct report_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = { .command = "report", .option = { rows }, .argument = take_db };
    int code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code == 0 && !args->help && args->db_count == 0)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir report OUT.db; weir run FILE -o OUT.db writes one",
                         "report: which result file?");
    if (code == 0 && args->only != NULL && args->db_count > 1)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "--runs: goes with one result file only");
    if (code == 0 && args->about_files != NULL && args->figures == NULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir report OUT.db --figures DIR --format svg,pdf",
                         "%s: is for the files of --figures", args->about_files);
    if (code == 0 && !args->help)
        code = read_text(&args->text, "--text", args->text_file, err);
    if (code == 0 && !args->help)
        code = read_text(&args->published, "--published", args->published_file, err);
    return code == 0 && !args->help ? choose_out(args, err) : code;
}

/* Reads the first bytes: an HTML page begins with its doctype or its first element. If stat() fails there is no file,
 * or opening it for writing will report the same error. */
int weir_report_target(const char *name, struct weir_err *err)
{
    char head[64] = "";
    const char *at = head;
    struct stat there;
    size_t length;
    FILE *file;
    if (stat(name, &there) != 0 || !S_ISREG(there.st_mode))
        return 0;
    file = fopen(name, "r");
    if (file == NULL)
        return weir_fail(err, WEIR_E_FILE, NULL, "choose another name, or remove it first",
                         "%s: is there and cannot be read, so it may be anything: %s", name, strerror(errno));
    length = fread(head, 1, sizeof(head) - 1, file);
    (void)fclose(file);
    while (isspace((unsigned char)*at))
        at++;
    if (length == 0 || strncasecmp(at, "<!doctype html", 14) == 0 || strncasecmp(at, "<html", 5) == 0)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "choose another name, or remove it first",
                     "%s: is there and is no HTML page: not overwritten", name);
}

static int refused(const struct weir_err *err)
{
    weir_cli_error(err);
    return err->code == WEIR_E_MEMORY || err->code == WEIR_E_RUN ? WEIR_EXIT_FAILURE : WEIR_EXIT_USAGE;
}

/* Writes the page, puts it into place and prints a summary. The summary goes to stderr if the page may be on stdout.
 * @return the exit status */
static int write_page(const struct report_args *args, const struct weir_bundle *bundle, struct weir_outfile *out)
{
    FILE *page = out->file != NULL ? out->file : stdout, *say = out->temp != NULL ? stdout : stderr;
    static const struct weir_store_caller caller = WEIR_READ_CALLER;
    struct weir_figure_folder folder;
    struct weir_report_options options = {
        .path = args->db,
        .path_count = args->db_count,
        .only = args->only,
        .where = args->where,
        .where_count = args->where_count,
        .text = args->text,
        .published = args->published,
        .interactive = args->interactive ? bundle : NULL,
        .version = WEIR_VERSION,
        .gnuplot = "gnuplot",
        .caller = &caller,
        .stop = weir_stop_flag(),
    };
    struct weir_report_done done;
    struct weir_err err;
    int code = args->figures != NULL ? weir_figure_folder_open(&folder, args->figures, &args->files, &err) : 0;
    options.figures = args->figures != NULL ? &folder.figures : NULL;
    if (code == 0)
        code = weir_report_page(page, &options, &done, &err);
    if (*weir_stop_flag() != 0) {
        weir_outfile_abandon(out);
        return weir_cli_interrupted(*weir_stop_flag(), "no page was written");
    }
    if (code != 0) {
        weir_outfile_abandon(out);
        return refused(&err);
    }
    if (out->file != NULL && weir_outfile_commit(out, &err) != 0) {
        weir_cli_error(&err);
        return WEIR_EXIT_FAILURE;
    }
    if (done.no_figures[0] != '\0')
        (void)fprintf(stderr, "weir: no curves: %s; install gnuplot (Debian: gnuplot-nox) to have them\n",
                      done.no_figures);
    (void)fprintf(say, "%s: %zu run%s, %zu figure%s\n", args->out, done.runs, done.runs == 1 ? "" : "s", done.figures,
                  done.figures == 1 ? "" : "s");
    return weir_cli_finish(WEIR_EXIT_DONE);
}

static int make_page(const struct report_args *args, const struct weir_bundle *bundle)
{
    struct weir_outfile out = { 0 };
    struct weir_err err;
    bool to_stdout = strcmp(args->out, "-") == 0;
    if (!to_stdout && weir_report_target(args->out, &err) != 0)
        return refused(&err);
    weir_stop_install();
    weir_stop_after(WEIR_STOP_GRACE_MS);
    if (!to_stdout && weir_outfile_open(&out, args->out, NULL, &err) != 0) {
        /* the page is in the folder of the result file, which may not be writable */
        if (args->given_out == NULL && err.hint[0] == '\0')
            (void)snprintf(err.hint, sizeof(err.hint), "-o OUT.html puts the page elsewhere");
        return refused(&err);
    }
    return write_page(args, bundle, &out);
}

static int report(const struct report_args *args)
{
    struct weir_bundle bundle = { 0 };
    struct weir_err err;
    int status;
    if (args->interactive && weir_bundle_read(&bundle, &weir_bundle_report, WEIR_DATA_DIR, &err) != 0)
        return refused(&err);
    status = make_page(args, &bundle);
    weir_bundle_free(&bundle);
    return status;
}

int weir_cli_report(int argc, char **argv)
{
    struct report_args args = { .db = calloc((size_t)argc, sizeof(*args.db)),
                                .where = calloc((size_t)argc, sizeof(*args.where)) };
    struct weir_err err;
    int status;
    if (args.db == NULL || args.where == NULL) {
        (void)no_memory(&err);
        free(args.db);
        free(args.where);
        return refused(&err);
    }
    if (parse(&args, argc, argv, &err) != 0)
        status = refused(&err);
    else
        status = args.help ? weir_cli_show_usage("report") : report(&args);
    free(args.text);
    free(args.published);
    free(args.out);
    free(args.db);
    free(args.where);
    return status;
}
