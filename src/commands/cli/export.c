/* src/commands/cli/export.c - `weir export`: a table of a result file as CSV or JSON. */
#include "cli/cli.h"
#include "cli/report_cmd.h"
#include "output/table_rows.h"
#include "text/options.h"
#include "text/outfile.h"
#include "text/stop.h"
#include "text/wait.h"
#include <string.h>

struct export_args {
    const char *db, *table, *format, *runs, *out; /* lent; NULL = not given */
    bool help;
};

static int take_db(void *ctx, const char *argument, struct weir_err *err)
{
    struct export_args *args = ctx;
    if (args->db != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir merge puts several files into one",
                         "export: one result file, not %s, too", argument);
    args->db = argument;
    return 0;
}

#define FIELD(field) (uint32_t) offsetof(struct export_args, field)

static int parse(struct export_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_option options[] = {
        { .name = "--table", .value = "the name of a table", .offset = FIELD(table) },
        { .name = "--format", .value = "csv or json", .offset = FIELD(format) },
        { .name = "--runs", .value = "numbers of runs", .offset = FIELD(runs) },
        { .name = "-o", .value = "the name of a file", .offset = FIELD(out) },
        { .name = "--help", .offset = FIELD(help), .last = true },
        { .name = "-h", .offset = FIELD(help), .last = true },
        { .name = NULL },
    };
    const struct weir_options all = { .command = "export", .option = { options }, .argument = take_db };
    int code = weir_options_parse(&all, argc, argv, args, err);
    if (code != 0 || args->help)
        return code;
    if (args->db == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir export OUT.db; weir run FILE -o OUT.db writes one",
                         "export: which result file?");
    if (args->format != NULL && strcmp(args->format, "csv") != 0 && strcmp(args->format, "json") != 0)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "csv or json", "--format %.80s: no such format", args->format);
    if (args->runs != NULL && !weir_report_is_run_list(args->runs))
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir export OUT.db lists them",
                         "--runs %.80s: must be numbers of runs, like 3,14,15", args->runs);
    return 0;
}

/* Writes the table to an open file or to stdout. @return the exit status */
static int write_table(const struct export_args *args, struct weir_store *store, struct weir_outfile *out)
{
    const struct weir_table_choice choice = { .table = args->table != NULL ? args->table : "run",
                                              .runs = args->runs,
                                              .json = args->format != NULL && strcmp(args->format, "json") == 0 };
    struct weir_err err;
    int code = weir_table_write(out->file != NULL ? out->file : stdout, store, args->db, &choice, &err);
    if (*weir_stop_flag() != 0) {
        weir_outfile_abandon(out);
        return weir_cli_interrupted(*weir_stop_flag(), args->out != NULL ? "no file was written" : "rows are missing");
    }
    if (code == 0 && out->file != NULL && weir_outfile_commit(out, &err) != 0) {
        weir_cli_error(&err);
        return WEIR_EXIT_FAILURE;
    }
    weir_outfile_abandon(out);
    return code == 0 ? weir_cli_finish(WEIR_EXIT_DONE) : weir_cli_refused(&err);
}

static int export(const struct export_args *args)
{
    static const struct weir_store_caller caller = WEIR_READ_CALLER;
    const struct weir_outfile_keep keep[] = { { args->db, "the result file" }, { NULL, NULL } };
    struct weir_outfile out = { 0 };
    struct weir_store *store;
    struct weir_err err;
    int status;
    weir_stop_install();
    if (weir_store_open_read(&store, args->db, &caller, &err) != 0)
        return weir_cli_refused(&err);
    if (args->out != NULL && strcmp(args->out, "-") != 0 && weir_outfile_open(&out, args->out, keep, &err) != 0)
        status = weir_cli_refused(&err);
    else
        status = write_table(args, store, &out);
    weir_store_close(store);
    return status;
}

int weir_cli_export(int argc, char **argv)
{
    struct export_args args = { 0 };
    struct weir_err err;
    if (parse(&args, argc, argv, &err) != 0)
        return weir_cli_refused(&err);
    return args.help ? weir_cli_show_usage("export") : export(&args);
}
