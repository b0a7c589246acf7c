/* src/commands/cli/scoreboard.c - `weir scoreboard`: prints published and measured numbers of all papers, from result
 * files. */
#include "cli/cli.h"
#include "core/assert.h"
#include "reproduce/scoreboard.h"
#include "text/options.h"
#include "text/stop.h"
#include "text/wait.h"
#include <stdlib.h>
#include <string.h>

struct board_args {
    const char **db; /* owned array of lent names */
    uint32_t db_count;
    bool json, help;
};

static int refused(const struct weir_err *err)
{
    weir_cli_error(err);
    return err->code == WEIR_E_MEMORY ? WEIR_EXIT_FAILURE : WEIR_EXIT_USAGE;
}

static int take_db(void *ctx, const char *argument, struct weir_err *err)
{
    struct board_args *args = ctx;
    (void)err;
    args->db[args->db_count++] = argument;
    return 0;
}

static int parse(struct board_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_option options[] = {
        { .name = "--json", .offset = offsetof(struct board_args, json) },
        { .name = "--help", .offset = offsetof(struct board_args, help), .last = true },
        { .name = "-h", .offset = offsetof(struct board_args, help), .last = true },
        { .name = NULL },
    };
    const struct weir_options all = { .command = "scoreboard", .option = { options }, .argument = take_db };
    int code = weir_options_parse(&all, argc, argv, args, err);
    if (code == 0 && args->db_count == 0 && !args->help)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir scoreboard OUT.db..", "scoreboard: no result file was named");
    return code;
}

/* Opens the result files. A file may be named once only, because closing a second connection of a process drops the
 * locks of the first. @return 0, or a code with err; the caller closes the files either way */
static int open_all(struct weir_store **store, const struct board_args *args, struct weir_err *err)
{
    static const struct weir_store_caller caller = WEIR_READ_CALLER;
    int code = 0;
    for (uint32_t i = 0; i < args->db_count && code == 0; i++) {
        for (uint32_t other = 0; other < i; other++)
            if (strcmp(args->db[i], args->db[other]) == 0)
                return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s: named twice", args->db[i]);
        code = weir_store_open_read(&store[i], args->db[i], &caller, err);
    }
    return code;
}

/* Makes a scoreboard for each experiment in the binary that has published numbers, and adds their number to *count.
 * arena: keeps the names of the experiments. @return 0, or a code with err */
static int make_all(struct weir_board *board, uint32_t *count, struct weir_tree_arena *arena,
                    struct weir_store *const *store, uint32_t store_count, struct weir_err *err)
{
    uint32_t at = 0;
    const char *name;
    int code = 0;
    WEIR_ASSERT(board != NULL && store != NULL);
    while (code == 0 && *weir_stop_flag() == 0 && (name = weir_origin_builtin(&at, arena)) != NULL) {
        code = weir_board_make(&board[*count], name, store, store_count, err);
        if (code == 0 && board[*count].row_count == 0)
            weir_board_free(&board[*count]);
        else
            *count += code == 0;
    }
    for (uint32_t i = 0; i < store_count && code == 0; i++)
        code = weir_store_check(store[i], err); /* a read error would leave cells empty */
    return code;
}

static uint32_t count_papers(struct weir_tree_arena *arena)
{
    uint32_t papers = 0, at = 0;
    while (weir_origin_builtin(&at, arena) != NULL)
        papers++;
    return papers;
}

static int show(const struct board_args *args)
{
    struct weir_store **store = calloc(args->db_count, sizeof(struct weir_store *));
    struct weir_tree_arena *arena = weir_tree_arena_new();
    struct weir_board *board = arena != NULL ? calloc(count_papers(arena) + 1, sizeof(*board)) : NULL;
    struct weir_err err;
    uint32_t count = 0;
    int signal_number, code = store != NULL && board != NULL ? 0 : weir_fail_memory(&err);
    weir_stop_install();
    if (code == 0)
        code = open_all(store, args, &err);
    if (code == 0)
        code = make_all(board, &count, arena, store, args->db_count, &err);
    signal_number = *weir_stop_flag();
    if (signal_number != 0)
        code = WEIR_E_RUN;
    else if (code == 0 && args->json)
        weir_board_json(stdout, board, count);
    else if (code == 0)
        weir_board_print(stdout, board, count);
    for (uint32_t b = 0; b < count; b++)
        weir_board_free(&board[b]);
    for (uint32_t i = 0; store != NULL && i < args->db_count; i++)
        weir_store_close(store[i]);
    weir_tree_arena_free(arena);
    free(board);
    free(store);
    if (signal_number != 0)
        return weir_cli_interrupted(signal_number, "nothing was printed");
    return code == 0 ? weir_cli_finish(WEIR_EXIT_DONE) : refused(&err);
}

int weir_cli_scoreboard(int argc, char **argv)
{
    struct board_args args = { .db = calloc((size_t)argc, sizeof(*args.db)) };
    struct weir_err err;
    int status;
    if (args.db == NULL) {
        (void)weir_fail_memory(&err);
        return refused(&err);
    }
    if (parse(&args, argc, argv, &err) != 0)
        status = refused(&err);
    else
        status = args.help ? weir_cli_show_usage("scoreboard") : show(&args);
    free(args.db);
    return status;
}
