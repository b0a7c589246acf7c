/* src/commands/cli/bisect.c - `weir bisect`: the first packet in which two runs of one scenario differ. Both runs are
 * started as `weir run --digest-until TIME`, and TIME is halved until they are equal before it and differ at it. */
#include "cli/bisect.h"
#include "cli/cli.h"
#include "cli/setting.h"
#include "core/assert.h"
#include "core/math.h"
#include "core/units.h"
#include "param/param.h"
#include "report/bundle.h"
#include "report/process.h"
#include "text/options.h"
#include "text/stop.h"
#include "text/version.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SELF "/proc/self/exe" /* the running program, even if replaced on disk since the start */
enum { RUN_NAME = 128 };
#define ALL_PS (20000 * WEIR_PS_PER_S)

struct bisect_args {
    const char *file, *with, *module, *seed; /* lent; NULL = not given */
    uint32_t threads[2], ranks[2];           /* 0 = not given */
    const char **set;                        /* set_count settings; owned array of lent texts */
    uint32_t set_count;
    bool wasm, json, help;
    const char *other[4]; /* the command of the other program, ends with NULL; [0] NULL = it is this program */
    char script[WEIR_BUNDLE_PATH], page[WEIR_BUNDLE_PATH]; /* --wasm: files that were found */
};

struct shot { /* what one run printed */
    char hash[20];
    uint64_t events, last_ps;
    char *text;  /* owned; all that the run printed */
    char **line; /* count events, lines within text; owned */
    uint32_t count;
};

static int apply_set(void *ctx, const char *value, struct weir_err *err)
{
    struct bisect_args *args = ctx;
    int code = weir_setting_check(value, "for example --set run.seed=2", err);
    if (code == 0)
        args->set[args->set_count++] = value;
    return code;
}

/* Reads "A,B", each by `read`. @return 0, or a code with err */
static int read_pair(const char *name, const char *value, uint32_t out[2],
                     int (*read)(const char *value, uint32_t *out, struct weir_err *err), struct weir_err *err)
{
    const char *comma = strchr(value, ',');
    char first[24];
    int code;
    if (comma == NULL || comma == value || (size_t)(comma - value) >= sizeof(first))
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "of the one run and of the other",
                         "%s %.40s: must be two numbers, as 1,2", name, value);
    (void)snprintf(first, sizeof(first), "%.*s", (int)(comma - value), value);
    code = read(first, &out[0], err);
    if (code == 0)
        code = read(comma + 1, &out[1], err);
    if (code == 0 && out[0] == out[1])
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s %.40s: the two runs would be one", name, value);
    return code;
}

static int apply_threads(void *ctx, const char *value, struct weir_err *err)
{
    return read_pair("--threads", value, ((struct bisect_args *)ctx)->threads, weir_setting_threads, err);
}

static int apply_ranks(void *ctx, const char *value, struct weir_err *err)
{
    return read_pair("--ranks", value, ((struct bisect_args *)ctx)->ranks, weir_setting_ranks, err);
}

static int apply_wasm(void *ctx, const char *value, struct weir_err *err)
{
    struct bisect_args *args = ctx;
    args->wasm = true;
    args->module = value;
    if (value == NULL || access(value, R_OK) == 0)
        return 0;
    return weir_fail(err, WEIR_E_FILE, NULL,
                     "weir.wasm, or a page of weir playground; --wasm alone takes that of ./dev web",
                     "--wasm=%.80s: cannot be read: %s", value, strerror(errno));
}

#define FIELD(field) (uint32_t) offsetof(struct bisect_args, field)

static const struct weir_option options[] = {
    { .name = "--with", .value = "a program", .offset = FIELD(with) },
    { .name = "--wasm", .value = "a module", .apply = apply_wasm, .optional = true },
    { .name = "--threads", .value = "two numbers, as 1,2", .apply = apply_threads },
    { .name = "--ranks", .value = "two numbers, as 1,2", .apply = apply_ranks },
    { .name = "--set", .value = "key=value", .apply = apply_set },
    { .name = "--seed", .value = "a number", .offset = FIELD(seed) },
    { .name = "--json", .offset = FIELD(json) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { .name = NULL },
};

static int take_file(void *ctx, const char *argument, struct weir_err *err)
{
    struct bisect_args *args = ctx;
    if (args->file != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir bisect FILE --with PROGRAM",
                         "%.80s: %.80s is the scenario already", argument, args->file);
    args->file = argument;
    return 0;
}

static int parse(struct bisect_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options all = { .command = "bisect", .option = { options }, .argument = take_file };
    static const char hint[] = "weir bisect FILE --with PROGRAM, or --wasm, or --threads 1,2, or --ranks 1,2";
    int code = weir_options_parse(&all, argc, argv, args, err), ways;
    if (code != 0 || args->help)
        return code;
    if (args->file == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, hint, "bisect: which scenario?");
    ways = (args->with != NULL) + args->wasm + (args->threads[0] != 0) + (args->ranks[0] != 0);
    if (ways == 1)
        return 0;
    return weir_fail(err, WEIR_E_SYNTAX, NULL, hint,
                     ways == 0 ? "bisect: which two runs?" : "bisect: the two runs differ in one thing, not in %d",
                     ways);
}

/* Finds how the other program is called. The module is run by node, with a script that knows the options of a run.
 * @return 0, or WEIR_E_FILE with err */
static int find_other(struct bisect_args *args, struct weir_err *err)
{
    char *const path[] = { args->script, args->page };
    static const char *const name[] = { "weir-node.mjs", "weir-web.html" };
    args->other[0] = args->with;
    if (!args->wasm)
        return 0;
    for (int i = 0; i < (args->module != NULL ? 1 : 2); i++)
        if (!weir_bundle_find(name[i], WEIR_DATA_DIR, path[i]))
            return weir_fail(err, WEIR_E_FILE, NULL, "./dev web builds it, and the package weir has it",
                             "bisect: this build of weir has no %s, which --wasm needs", name[i]);
    args->other[0] = "node";
    args->other[1] = args->script;
    args->other[2] = args->module != NULL ? args->module : args->page;
    return 0;
}

/* --- a run --- */

/* Names one of the two runs, for the reader. */
static void name_run(const struct bisect_args *args, int which, char *out, size_t size)
{
    if (args->other[0] != NULL && which == 0)
        (void)snprintf(out, size, "this program");
    else if (args->wasm)
        (void)snprintf(out, size, "%s", args->module != NULL ? args->module : "the WebAssembly module");
    else if (args->with != NULL)
        (void)snprintf(out, size, "%s", args->with);
    else if (args->threads[0] != 0)
        (void)snprintf(out, size, "--threads %u", (unsigned)args->threads[which]);
    else
        (void)snprintf(out, size, "--ranks %u", (unsigned)args->ranks[which]);
}

/* Fills err with why a run failed: text is the sentence of weir_process_run(). */
static int explain(const struct bisect_args *args, int which, struct weir_err *err)
{
    static const char option[] = "--digest-until";
    const struct weir_err why = *err;
    const char *sentence = strstr(why.text, "): ");
    char name[RUN_NAME];
    name_run(args, which, name, sizeof(name));
    if (why.code == WEIR_E_RUN && strstr(why.text, option) != NULL)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "compare digests of whole runs instead",
                         "bisect: %s has no %s: it is older", name, option);
    if (why.code != WEIR_E_RUN || sentence == NULL)
        return weir_fail(err, why.code, NULL,
                         args->wasm ? "node runs the module: 20 or newer, Debian's package nodejs" : NULL, "bisect: %s",
                         why.text);
    if (args->other[0] == NULL)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, NULL, "bisect: %s", sentence + 3);
    return weir_fail(err, WEIR_E_UNKNOWN, NULL,
                     args->wasm ? "doc/bisect.md says what the module does not run"
                                : "both programs must know the keys of the scenario",
                     "bisect: %s does not run it: %s", name, sentence + 3);
}

static void shot_free(struct shot *s)
{
    free(s->text);
    free(s->line);
    s->text = NULL;
    s->line = NULL;
    s->count = 0;
}

/* Returns the text behind a name at the begin of a line, without the blanks between; NULL = there is no such line. */
static const char *value_of(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; line != NULL; line = strchr(line, '\n') != NULL ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            return line + length + strspn(line + length, " ");
    return NULL;
}

/* Reads what a run printed, whose text *s owns. @return 0, or a code with err */
static int read_shot(struct shot *s, const char *name, struct weir_err *err)
{
    const char *hash = value_of(s->text, "packet digest"), *events = value_of(s->text, "events"),
               *last = value_of(s->text, "last event");
    uint32_t lines = 0;
    char *more = NULL;
    if (hash == NULL || events == NULL || last == NULL)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, NULL, "bisect: %s printed no digest of packets: is it weir?", name);
    (void)snprintf(s->hash, sizeof(s->hash), "%.16s", hash);
    s->events = strtoull(events, NULL, 10);
    s->last_ps = strtoull(last, NULL, 10);
    for (const char *c = s->text; *c != '\0'; c++)
        lines += *c == '\n';
    s->line = calloc((size_t)lines + 1, sizeof(*s->line));
    if (s->line == NULL)
        return weir_fail_memory(err);
    (void)strtok_r(s->text, "\n", &more); /* the three lines above, then the events */
    (void)strtok_r(NULL, "\n", &more);
    (void)strtok_r(NULL, "\n", &more);
    for (char *line = strtok_r(NULL, "\n", &more); line != NULL; line = strtok_r(NULL, "\n", &more))
        s->line[s->count++] = line;
    return 0;
}

/* Executes run `which`. more: more_count further arguments. text: set to what it printed, which the caller frees.
 * @return 0, or a code with err */
static int call_run(const struct bisect_args *args, int which, const char *const *more, size_t more_count, char **text,
                    struct weir_err *err)
{
    const char **argv = calloc(2 * (size_t)args->set_count + more_count + 16, sizeof(*argv));
    uint32_t threads = args->threads[which], ranks = args->ranks[which];
    WEIR_ASSERT(threads == 0 || ranks == 0);
    char number[16];
    size_t count = 0;
    int code;
    if (argv == NULL)
        return weir_fail_memory(err);
    (void)snprintf(number, sizeof(number), "%u", (unsigned)(threads != 0 ? threads : ranks));
    for (const char *const *part = args->other; which == 1 && *part != NULL; part++)
        argv[count++] = *part;
    if (count == 0)
        argv[count++] = SELF;
    argv[count++] = "run";
    argv[count++] = args->file;
    argv[count++] = "--progress";
    argv[count++] = "never";
    if (threads != 0 || ranks != 0) {
        argv[count++] = threads != 0 ? "--threads" : "--ranks";
        argv[count++] = number;
    }
    if (args->seed != NULL) {
        argv[count++] = "--seed";
        argv[count++] = args->seed;
    }
    for (uint32_t i = 0; i < args->set_count; i++) {
        argv[count++] = "--set";
        argv[count++] = args->set[i];
    }
    for (size_t i = 0; i < more_count; i++)
        argv[count++] = more[i];
    code = weir_process_run(argv, "", text, NULL, err);
    free(argv);
    return code != 0 ? explain(args, which, err) : 0;
}

/* Executes run `which` until a time. packet: NULL = its events at that time, else those of this packet. @return 0, then
 * shot_free() frees *s; or a code with err */
static int shoot(const struct bisect_args *args, int which, uint64_t until_ps, const char *packet, struct shot *s,
                 struct weir_err *err)
{
    char until[40], name[RUN_NAME];
    const char *const more[] = { "--digest-until", until, "--digest-packet", packet };
    int code;
    *s = (struct shot){ 0 };
    WEIR_ASSERT(until_ps > 0);
    (void)snprintf(until, sizeof(until), "%" PRIu64 " ps", until_ps);
    code = call_run(args, which, more, packet != NULL ? 4 : 2, &s->text, err);
    if (code != 0)
        return code;
    name_run(args, which, name, sizeof(name));
    code = read_shot(s, name, err);
    if (code != 0)
        shot_free(s);
    return code;
}

/* Executes both runs until a time, as shoot(). @return 0, then free_both() frees s; or a code with err */
static int shoot_both(const struct bisect_args *args, uint64_t until_ps, const char *packet, struct shot s[2],
                      struct weir_err *err)
{
    int code = shoot(args, 0, until_ps, packet, &s[0], err);
    if (code != 0)
        return code;
    code = shoot(args, 1, until_ps, packet, &s[1], err);
    if (code != 0)
        shot_free(&s[0]);
    return code;
}

static void free_both(struct shot s[2])
{
    shot_free(&s[0]);
    shot_free(&s[1]);
}

static bool are_equal(const struct shot s[2])
{
    return s[0].events == s[1].events && strcmp(s[0].hash, s[1].hash) == 0;
}

/* --- the search --- */

/* Finds the time of the first event that differs. *at_ps: WEIR_NEVER = none does. @return 0, or a code with err; a
 * signal ends it early */
static int search(const struct bisect_args *args, uint64_t *at_ps, uint64_t *events, struct weir_err *err)
{
    struct shot s[2] = { { .text = NULL }, { .text = NULL } };
    uint64_t low = 0, high;
    int code = shoot_both(args, ALL_PS, NULL, s, err);
    bool equal;
    *at_ps = WEIR_NEVER;
    if (code != 0)
        return code;
    equal = are_equal(s);
    high = weir_max_u64(s[0].last_ps, s[1].last_ps);
    *events = equal ? s[0].events : 0;
    free_both(s);
    while (!equal && high - low > 1 && *weir_stop_flag() == 0) {
        uint64_t middle = low + (high - low) / 2;
        WEIR_ASSERT(low < middle && middle < high);
        code = shoot_both(args, middle, NULL, s, err);
        if (code != 0)
            return code;
        if (are_equal(s)) {
            low = middle;
            *events = s[0].events;
        } else {
            high = weir_min_u64(middle, weir_max_u64(s[0].last_ps, s[1].last_ps));
        }
        free_both(s);
    }
    *at_ps = equal ? WEIR_NEVER : high;
    return 0;
}

/* Copies the name of the packet of an event. */
static void copy_id(const char *line, char *out, size_t size)
{
    (void)snprintf(out, size, "%.*s", (int)strcspn(line, " "), line);
}

static char *copy(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

/* Fills f with the first event at f->at_ps that one run has and the other has not. @return 0, or a code with err */
static int find_packet(const struct bisect_args *args, struct weir_bisected *f, struct weir_err *err)
{
    struct shot s[2];
    uint32_t i = 0;
    int code = shoot_both(args, f->at_ps, NULL, s, err);
    if (code != 0)
        return code;
    while (i < s[0].count && i < s[1].count && strcmp(s[0].line[i], s[1].line[i]) == 0)
        i++;
    for (int which = 0; code == 0 && which < 2; which++) {
        const char *line = i < s[which].count ? s[which].line[i] : NULL;
        f->event[which] = copy(line);
        if (line != NULL && f->packet[0] == '\0')
            copy_id(line, f->packet, sizeof(f->packet));
        if (line != NULL && f->event[which] == NULL)
            code = weir_fail_memory(err);
    }
    if (code == 0 && f->packet[0] == '\0')
        code = weir_fail(err, WEIR_E_RUN, NULL, "run it again", "bisect: the runs are not the same when repeated");
    free_both(s);
    return code;
}

/* Fills f->path with the events of the packet, of the first run if it has some. @return 0, or a code with err */
static int find_path(const struct bisect_args *args, struct weir_bisected *f, struct weir_err *err)
{
    struct shot s;
    int code = shoot(args, f->event[0] != NULL ? 0 : 1, f->at_ps, f->packet, &s, err);
    if (code != 0)
        return code;
    f->path_text = s.text;
    f->path = s.line;
    f->path_count = s.count;
    return 0;
}

/* Writes the digest of the messages of run `which`, whose ports are not tapped. @return 0, or a code with err */
static int whole_digest(const struct bisect_args *args, int which, char out[20], struct weir_err *err)
{
    char *text = NULL;
    const char *digest;
    int code = call_run(args, which, NULL, 0, &text, err);
    if (code != 0)
        return code;
    digest = value_of(text, "digest");
    (void)snprintf(out, 20, "%.16s", digest != NULL ? digest : "none");
    free(text);
    return 0;
}

/* Refuses runs whose packets are equal and whose messages are not: taps have a kind of port of their own, which then
 * hides the difference. @return 0, or a code with err */
static int check_untapped(const struct bisect_args *args, struct weir_err *err)
{
    char digest[2][20];
    int code = whole_digest(args, 0, digest[0], err);
    if (code == 0)
        code = whole_digest(args, 1, digest[1], err);
    if (code != 0 || strcmp(digest[0], digest[1]) == 0)
        return code;
    return weir_fail(
        err, WEIR_E_RUN, NULL, "--check=general runs that code, too",
        "bisect: digests of messages differ, %s and %s, but no packet does while all ports are observed: the "
        "difference is in code for other ports",
        digest[0], digest[1]);
}

static int bisect(const struct bisect_args *args)
{
    struct weir_bisected f = { .at_ps = WEIR_NEVER };
    struct weir_err err;
    int status, code;
    weir_stop_install();
    name_run(args, 0, f.name[0], sizeof(f.name[0]));
    name_run(args, 1, f.name[1], sizeof(f.name[1]));
    code = search(args, &f.at_ps, &f.events, &err);
    if (code == 0 && f.at_ps == WEIR_NEVER && *weir_stop_flag() == 0)
        code = check_untapped(args, &err);
    else if (code == 0 && *weir_stop_flag() == 0)
        code = find_packet(args, &f, &err);
    if (code == 0 && f.packet[0] != '\0')
        code = find_path(args, &f, &err);
    if (*weir_stop_flag() != 0) {
        status = weir_cli_interrupted(*weir_stop_flag(), "the packet was not found");
    } else if (code != 0) {
        status = weir_cli_refused(&err);
    } else {
        if (args->json)
            weir_bisected_json(stdout, &f);
        else
            weir_bisected_print(stdout, &f);
        status = weir_cli_finish(f.at_ps == WEIR_NEVER ? WEIR_EXIT_DONE : WEIR_EXIT_CHECK);
    }
    weir_bisected_free(&f);
    return status;
}

int weir_cli_bisect(int argc, char **argv)
{
    struct bisect_args args = { .set = calloc((size_t)argc, sizeof(*args.set)) };
    struct weir_err err;
    int status;
    if (args.set == NULL) {
        (void)weir_fail_memory(&err);
        return weir_cli_refused(&err);
    }
    if (parse(&args, argc, argv, &err) != 0)
        status = weir_cli_refused(&err);
    else if (args.help)
        status = weir_cli_show_usage("bisect");
    else
        status = find_other(&args, &err) != 0 ? weir_cli_refused(&err) : bisect(&args);
    free(args.set);
    return status;
}
