/* src/commands/cli/status.c - `weir status`: prints which points of a sweep are done, and which are still to be run. */
#include "cli/campaign.h"
#include "cli/cli.h"
#include "cli/sweep_args.h"
#include "reproduce/lengths.h"
#include "reproduce/standing.h"
#include "text/commit.h"
#include "text/format.h"
#include "text/json.h"
#include "text/memory.h"
#include "text/version.h"
#include "text/wait.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KINDS = WEIR_STANDING_DONE + 1, WHO = 160 };

struct status { /* state of `weir status`; large, so on the heap */
    struct weir_sweep_args args;
    struct weir_campaign *c;
    struct weir_standing *standing; /* one per point of the plan; owned */
    uint32_t count[KINDS];
};

static const char *const kind_name[KINDS] = { "missing", "other", "failed", "ended", "running", "done" };

static int read_file(struct status *s, const char *path, struct weir_err *err)
{
    static const struct weir_results_by by = { .version = WEIR_VERSION, .commit = WEIR_COMMIT };
    struct weir_wait until = weir_campaign_wait(s->c);
    const struct weir_store_caller caller = WEIR_WAIT_CALLER(&until);
    struct weir_store *store;
    int code;
    if (weir_store_is_empty(path))
        return 0;
    code = weir_store_open_read(&store, path, &caller, err);
    if (code != 0)
        return code;
    code = weir_lengths_read(&s->c->plan, store, err);
    if (code == 0)
        code = weir_campaign_resolve(s->c, err);
    if (code == 0)
        code = weir_standing_read(&s->c->plan, store, &by, s->standing, err);
    weir_store_close(store);
    return code;
}

/* Reads the state of all points from the result file and the shards. A result file that does not exist yet is no error:
 * only the shards count then. A shard must exist. @return 0, or a code with err */
static int read_files(struct status *s, struct weir_err *err)
{
    int code = 0;
    s->standing = calloc(s->c->plan.point_count + 1, sizeof(*s->standing));
    if (s->standing == NULL)
        return weir_fail_memory(err);
    if (access(s->c->out, F_OK) == 0)
        code = read_file(s, s->c->out, err);
    for (uint32_t i = 0; i < s->args.more_count && code == 0; i++)
        code = read_file(s, s->args.more[i], err);
    for (uint32_t i = 0; i < s->c->plan.point_count; i++)
        s->count[s->standing[i].kind]++;
    return code;
}

/* --- as text --- */

/* Prints the numbers of the points of this kind, or with `not` of all other kinds, as "3,7-9". */
static void print_numbers(FILE *out, const struct status *s, enum weir_standing_kind kind, bool not )
{
    const struct weir_plan *plan = &s->c->plan;
    for (uint32_t i = 0, spans = 0; i < plan->point_count; i++) {
        uint32_t first = i;
        if ((s->standing[i].kind == kind) == not )
            continue;
        while (i + 1 < plan->point_count && (s->standing[i + 1].kind == kind) != not )
            i++;
        (void)fprintf(out, "%s%u", spans++ > 0 ? "," : "", (unsigned)plan->point[first].number);
        if (i > first)
            (void)fprintf(out, "-%u", (unsigned)plan->point[i].number);
    }
}

static void print_line(const struct status *s, const char *title, enum weir_standing_kind kind, const char *note)
{
    if (s->count[kind] == 0)
        return;
    (void)printf("%-11s %u%s: ", title, (unsigned)s->count[kind], note);
    print_numbers(stdout, s, kind, false);
    (void)printf("\n");
}

/* Prints the first `length` bytes of a text from the result file as a line, with characters that are unsafe for a
 * terminal escaped. */
static void print_line_of(const char *text, size_t length)
{
    char *line = strndup(text, length);
    (void)printf("  ");
    weir_cli_text(stdout, line != NULL ? line : "");
    (void)printf("\n");
    free(line);
}

/* Prints the stderr of each failed run, line by line. */
static void print_failed(const struct status *s)
{
    for (uint32_t i = 0; i < s->c->plan.point_count; i++) {
        const struct weir_point *p = &s->c->plan.point[i];
        const char *reason = s->standing[i].reason;
        if (s->standing[i].kind != WEIR_STANDING_FAILED)
            continue;
        (void)printf("\n%u  %s failed:\n", (unsigned)p->number, p->name);
        while (reason != NULL && *reason != '\0') {
            int length = (int)strcspn(reason, "\n");
            print_line_of(reason, (size_t)length);
            reason += length + (reason[length] == '\n');
        }
    }
}

static void print_text(const struct status *s)
{
    double left_s = weir_standing_left_s(&s->c->plan, s->standing);
    uint32_t all = s->c->plan.point_count, left = all - s->count[WEIR_STANDING_DONE];
    char who[WHO], note[WHO + 32];
    bool known = weir_wait_holder(s->c->out, who, sizeof(who));
    (void)snprintf(note, sizeof(note), "%s%s", known ? ", by " : "", who);
    (void)printf("%-11s %s, %u point%s\n", "sweep", s->c->exp.origin.id, (unsigned)all, all == 1 ? "" : "s");
    (void)printf("%-11s %u in %s%s\n", "done", (unsigned)s->count[WEIR_STANDING_DONE], s->c->out,
                 s->args.more_count > 0 ? " and the shards" : "");
    print_line(s, "running", WEIR_STANDING_RUNNING, note);
    print_line(s, "broken off", WEIR_STANDING_ENDED, ", their program has ended");
    print_line(s, "failed", WEIR_STANDING_FAILED, "");
    print_line(s, "other runs", WEIR_STANDING_OTHER, ", with other settings or by another Weir");
    print_line(s, "missing", WEIR_STANDING_MISSING, "");
    if (left > 0) {
        (void)printf("%-11s --point ", "left");
        print_numbers(stdout, s, WEIR_STANDING_DONE, true);
        if (left_s >= 0)
            (void)printf("; at the pace so far %s of one core", weir_format_left((uint64_t)left_s).text);
        (void)printf("\n");
    }
    print_failed(s);
}

/* --- as JSON --- */

static void print_left(FILE *out, const void *status)
{
    print_numbers(out, status, WEIR_STANDING_DONE, true);
}

static void print_json(const struct status *s)
{
    struct weir_json json = { .out = stdout };
    double left_s = weir_standing_left_s(&s->c->plan, s->standing);
    uint32_t done = s->count[WEIR_STANDING_DONE];
    char *left = weir_memory_text(print_left, s);
    weir_json_open(&json, NULL);
    weir_json_string(&json, "sweep", s->c->exp.origin.id);
    weir_json_u64(&json, "points", s->c->plan.point_count);
    for (int kind = 0; kind < KINDS; kind++)
        weir_json_u64(&json, kind_name[kind], s->count[kind]);
    weir_json_string(&json, "left", left);
    if (left_s >= 0 || done == s->c->plan.point_count)
        weir_json_real(&json, "left_core_s", left_s >= 0 ? left_s : 0);
    else
        weir_json_null(&json, "left_core_s");
    weir_json_open_list(&json, "point");
    for (uint32_t i = 0; i < s->c->plan.point_count; i++) {
        weir_json_open(&json, NULL);
        weir_json_u64(&json, "number", s->c->plan.point[i].number);
        weir_json_string(&json, "name", s->c->plan.point[i].name);
        weir_json_string(&json, "status", kind_name[s->standing[i].kind]);
        weir_json_string(&json, "reason", s->standing[i].reason);
        weir_json_close(&json);
    }
    weir_json_close_list(&json);
    weir_json_close(&json);
    free(left);
}

/* --- the command --- */

static int show(struct status *s)
{
    const struct weir_plan_request request = { .scale_ppm = 1000000,
                                               .set = s->args.set,
                                               .set_count = s->args.set_count };
    struct weir_err err;
    int status = WEIR_EXIT_DONE, code = weir_campaign_load(s->c, s->args.file, &err);
    if (code == 0)
        code = weir_campaign_name_files(s->c, s->c->exp.origin.id, s->args.common.out, NULL, &err);
    if (code == 0)
        code = weir_campaign_lay_out(s->c, &request, &err);
    if (code == 0)
        status = weir_campaign_interrupted(s->c);
    if (status != WEIR_EXIT_DONE)
        return status;
    if (code == 0)
        code = read_files(s, &err);
    if (code != 0)
        status = weir_campaign_interrupted(s->c);
    if (code != 0)
        return status != WEIR_EXIT_DONE ? status : weir_cli_refused(&err);
    if (s->args.common.json)
        print_json(s);
    else
        print_text(s);
    return weir_cli_finish(s->count[WEIR_STANDING_DONE] == s->c->plan.point_count ? WEIR_EXIT_DONE : WEIR_EXIT_AGAIN);
}

static int run_command(struct status *s, int argc, char **argv)
{
    struct weir_err err;
    if (weir_status_args_parse(&s->args, argc, argv, &err) != 0)
        return weir_cli_refused(&err);
    if (!s->args.common.help)
        return show(s);
    return weir_cli_show_usage("status");
}

int weir_cli_status(int argc, char **argv)
{
    struct status *s = calloc(1, sizeof(*s));
    int status = WEIR_EXIT_FAILURE;
    if (s != NULL)
        s->c = weir_campaign_new();
    if (s != NULL && s->c != NULL) {
        status = run_command(s, argc, argv);
        weir_sweep_args_free(&s->args);
        free(s->standing);
        weir_campaign_free(s->c);
    }
    free(s);
    return status;
}
