/* src/commands/cli/session_cmd.c - `weir session`: a session whose calls are lines of JSON on standard input. Each is
 * answered by a line on standard output. */
#include "cli/cli.h"
#include "cli/session_answer.h"
#include "cli/setting.h"
#include "core/assert.h"
#include "text/options.h"
#include "workload/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 16, LINE_BYTES_MAX = 1 << 27 };

struct session {
    const char *file; /* a scenario; NULL = the first call opens a session */
    const char **set; /* NULL-terminated; owned */
    uint32_t set_count, threads;
    bool record, check, help;
    struct weir_sim *sim;
    struct weir_session_player player;
    int status;   /* enum weir_exit: of the first call that was refused */
    char *buffer; /* read from standard input: begin .. end - 1 is not used yet */
    size_t begin, end, room;
};

/* ---- the command line ---- */

static int apply_set(void *ctx, const char *value, struct weir_err *err)
{
    struct session *s = ctx;
    int code = weir_setting_check(value, "for example --set run.seed=2", err);
    if (code == 0)
        s->set[s->set_count++] = value;
    return code;
}

static int apply_threads(void *ctx, const char *value, struct weir_err *err)
{
    struct session *s = ctx;
    return weir_setting_threads(value, &s->threads, err);
}

static int take_file(void *ctx, const char *argument, struct weir_err *err)
{
    struct session *s = ctx;
    if (s->file != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir session takes one file; weir session --help shows the options",
                         "%s: %s is the scenario already", argument, s->file);
    s->file = argument;
    return 0;
}

static const struct weir_option options[] = {
    { .name = "--set", .value = "key=value", .apply = apply_set },
    { .name = "--threads", .value = "a number", .apply = apply_threads },
    { .name = "--record", .offset = (uint32_t)offsetof(struct session, record) },
    { .name = "--check", .offset = (uint32_t)offsetof(struct session, check) },
    { .name = "--help", .offset = (uint32_t)offsetof(struct session, help), .last = true },
    { .name = "-h", .offset = (uint32_t)offsetof(struct session, help), .last = true },
    { 0 },
};

static int parse(struct session *s, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = { .command = "session", .option = { options }, .argument = take_file };
    int code;
    s->set = calloc((size_t)argc + 1, sizeof(*s->set));
    s->buffer = malloc(BUFFER_BYTES);
    s->room = BUFFER_BYTES;
    if (s->set == NULL || s->buffer == NULL)
        return weir_fail_memory(err);
    code = weir_options_parse(&accepted, argc, argv, s, err);
    if (code != 0 || s->help)
        return code;
    if (s->file == NULL && s->set_count > 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir session FILE --set .., or the member set of the call open",
                         "--set without a scenario");
    return 0;
}

/* ---- lines ---- */

/* Returns the exit status that a refusal calls for. */
static int status_of(int code)
{
    if (code == WEIR_SIM_E_MEMORY)
        return WEIR_EXIT_FAILURE;
    return code == WEIR_SIM_E_DIGEST || code == WEIR_SIM_E_RUN ? WEIR_EXIT_CHECK : WEIR_EXIT_USAGE;
}

/* Executes a line and answers it. */
static void answer_line(struct session *s, uint64_t number, const char *text, size_t length)
{
    struct weir_answer answer;
    const struct weir_session_row *row;
    int code;
    weir_answer_begin(&answer, stdout, number);
    s->player.ctx = &answer;
    code = weir_session_play_line(&s->player, text, length, &row);
    weir_answer_end(&answer, &s->player, row, code);
    if (code != 0 && s->status == WEIR_EXIT_DONE)
        s->status = status_of(code);
}

/* Reads more behind what is in the buffer. @return 1; 0 = the end; or -1 with err */
static int read_more(struct session *s, struct weir_err *err)
{
    ssize_t got;
    if (s->begin > 0) {
        memmove(s->buffer, s->buffer + s->begin, s->end - s->begin);
        s->end -= s->begin;
        s->begin = 0;
    }
    if (s->end + 1 >= s->room) {
        char *larger = s->room < LINE_BYTES_MAX ? realloc(s->buffer, 2 * s->room) : NULL;
        if (larger == NULL) {
            (void)weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "standard input: a line is too long");
            return -1;
        }
        s->buffer = larger;
        s->room *= 2;
    }
    do
        got = read(STDIN_FILENO, s->buffer + s->end, s->room - s->end - 1);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        (void)weir_fail(err, WEIR_E_FILE, NULL, NULL, "standard input cannot be read: %s", strerror(errno));
        return -1;
    }
    s->end += (size_t)got;
    WEIR_ASSERT(s->end < s->room);
    return got > 0;
}

/* Answers all lines. What is answered is printed before more is waited for. @return exit status */
static int answer_lines(struct session *s)
{
    struct weir_err err = { 0 };
    size_t seen = 0; /* bytes of the buffer without a newline */
    int more = 1;
    for (uint64_t number = 1;;) {
        char *line = s->buffer + s->begin, *newline = memchr(line + seen, '\n', s->end - s->begin - seen);
        if (newline == NULL && more > 0) {
            seen = s->end - s->begin;
            if (weir_cli_finish(WEIR_EXIT_DONE) != WEIR_EXIT_DONE)
                return WEIR_EXIT_FAILURE;
            more = read_more(s, &err);
            if (more < 0)
                return weir_cli_failed(&err);
            continue;
        }
        if (newline == NULL && s->end == s->begin)
            return s->status;
        newline = newline != NULL ? newline : s->buffer + s->end; /* the last line may lack it */
        *newline = '\0';
        answer_line(s, number++, line, (size_t)(newline - line));
        s->begin = (size_t)(newline - s->buffer) + (newline < s->buffer + s->end);
        seen = 0;
    }
}

/* ---- the session ---- */

/* Opens the scenario that the command line names, and answers that as line 0. @return 0, or a code with err */
static int open_file(struct session *s, struct weir_err *err)
{
    struct weir_sim_opts opts = s->player.base;
    struct weir_sim_error why = { 0 };
    struct weir_answer answer;
    char *text;
    int code = weir_text_read(s->file, NULL, &text, err);
    err->hint[0] = '\0'; /* it is about files that a scenario names */
    if (code != 0)
        return code;
    opts.size = sizeof(opts);
    opts.name = s->file;
    opts.set = s->set;
    s->sim = weir_sim_open(text, strlen(text), &opts, &why);
    free(text);
    if (s->sim == NULL) {
        const struct weir_tok at = { .file = why.file, .line = why.line, .col = why.column };
        return weir_fail(err, why.code == WEIR_SIM_E_MEMORY ? WEIR_E_MEMORY : WEIR_E_CONFLICT, &at, why.hint, "%s",
                         why.text);
    }
    weir_answer_begin(&answer, stdout, 0);
    weir_answer_end(&answer, &s->player, &weir_session_rows[WEIR_SESSION_OPEN], 0);
    return 0;
}

static int run(struct session *s)
{
    struct weir_err err = { 0 };
    int status;
    s->player = (struct weir_session_player){
        .sim = &s->sim,
        .base = { .threads = s->threads, .record = s->record, .check = s->check },
        .file = "standard input",
        .events = weir_answer_events,
    };
    if (s->file != NULL && open_file(s, &err) != 0)
        return weir_cli_refused(&err);
    status = answer_lines(s);
    (void)weir_sim_close(s->sim, NULL, NULL);
    weir_session_player_free(&s->player);
    return weir_cli_finish(status);
}

int weir_cli_session(int argc, char **argv)
{
    struct session s = { .file = NULL };
    struct weir_err err;
    int status;
    if (parse(&s, argc, argv, &err) != 0)
        status = weir_cli_refused(&err);
    else
        status = s.help ? weir_cli_show_usage("session") : run(&s);
    free(s.set);
    free(s.buffer);
    return status;
}
