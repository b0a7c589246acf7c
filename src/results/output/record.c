/* src/results/output/record.c - records a run in a result file: its row in table `run`, its messages, and the results
 * at its end. Series and distributions: record_series.c, record_detail.c. */
#include "output/record.h"
#include "config/dump.h"
#include "model/account.h"
#include "text/clock.h"
#include "text/commit.h"
#include "text/json_numbers.h"
#include "text/machine.h"
#include "text/memory.h"
#include "text/version.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEP_TEXT = WEIR_RUN_SWEEP_MAX + 1 };

static int fail_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory for the result file");
}

static void print_scenario(FILE *out, const void *scn)
{
    weir_scenario_dump(out, scn);
}

/* Returns lines as one line, with "; " between them; the caller frees it. NULL = no memory. */
static char *on_one_line(const char *lines)
{
    char *text = malloc(2 * strlen(lines) + 1), *to = text;
    for (const char *at = lines; text != NULL && *at != '\0'; at++) {
        if (*at != '\n')
            *to++ = *at;
        else if (at[1] != '\0')
            to = stpcpy(to, "; ");
    }
    if (text != NULL)
        *to = '\0';
    return text;
}

struct changed { /* a run that may have been changed while it went on */
    const struct weir_record *rec;
    const char *changes; /* one line; "" = nothing did */
};

/* Prints what changed a run as a key of its own, and then its scenario: runs that were changed in other ways differ in
 * a setting. */
static void print_changed(FILE *out, const void *what)
{
    const struct changed *run = what;
    struct weir_json json = { .out = out }; /* a string of JSON is one of YAML */
    if (run->changes[0] != '\0') {
        (void)fputs("timeline: ", out);
        weir_json_string(&json, NULL, run->changes);
        (void)fputc('\n', out);
    }
    if (run->rec->scenario != NULL)
        (void)fputs(run->rec->scenario, out);
    else
        weir_scenario_dump(out, run->rec->setup->scn);
}

/* Returns the scenario of a run with what changed it; the caller frees it. NULL = no memory */
static char *changed_scenario(const struct weir_record *rec)
{
    char *changes = on_one_line(rec->changes != NULL ? rec->changes : ""), *text = NULL;
    if (changes != NULL)
        text = weir_memory_text(print_changed, &(struct changed){ .rec = rec, .changes = changes });
    free(changes);
    return text;
}

static void print_settings(FILE *out, const void *what)
{
    const struct weir_record_options *options = what;
    for (uint32_t i = 0; i < options->set_count; i++)
        (void)fprintf(out, "%s%s", i > 0 ? "\n" : "", options->set[i].text);
}

static void print_json(FILE *out, const void *report)
{
    weir_report_json(out, report);
}

/* Copies sweep, "EXPERIMENT/FIGURE/POINT", to text, cuts it at its first two slashes, and sets the three fields of row
 * to the parts in text. The caller has checked that there are two slashes. */
static void split_sweep(char text[SWEEP_TEXT], const char *sweep, struct weir_store_run *row)
{
    char *slash;
    (void)snprintf(text, SWEEP_TEXT, "%s", sweep);
    row->experiment = text;
    slash = strchr(text, '/');
    *slash = '\0';
    row->figure = slash + 1;
    slash = strchr(slash + 1, '/');
    *slash = '\0';
    row->point = slash + 1;
}

static int begin_run(struct weir_record *rec, const struct weir_record_options *options, struct weir_err *err)
{
    const struct weir_scenario *scn = rec->setup->scn;
    char started[WEIR_UTC_TEXT], machine_text[WEIR_MACHINE_TEXT], sweep[SWEEP_TEXT];
    char *scenario = weir_memory_text(print_scenario, scn), *settings = weir_memory_text(print_settings, options);
    struct weir_store_run row = { .name = scn->name,
                                  .started_utc = started,
                                  .weir_version = WEIR_VERSION,
                                  .commit_id = WEIR_COMMIT,
                                  .machine = machine_text,
                                  .protocol = scn->protocol->name,
                                  .preset = scn->preset != NULL ? scn->preset->name : NULL,
                                  .scenario = scenario,
                                  .settings = settings,
                                  .seed = scn->run.seed,
                                  .threads = options->threads };
    int code;
    weir_utc_now(started);
    weir_machine(machine_text);
    if (options->sweep != NULL)
        split_sweep(sweep, options->sweep, &row);
    row.label = options->label != NULL ? options->label : row.point != NULL ? row.point : scn->name;
    code = scenario == NULL || settings == NULL ? fail_memory(err)
                                                : weir_store_run_begin(rec->store, &row, &rec->run, err);
    free(scenario);
    free(settings);
    return code;
}

/* Writes the row of the run and the rows of its series in one transaction, so that readers see all of them or none.
 * Then starts the writer's thread. If the thread cannot be started, removes the run again. */
static int open_run(struct weir_record *rec, const struct weir_record_options *options, struct weir_err *err)
{
    int code = weir_store_begin(rec->store, err);
    if (code == 0)
        code = begin_run(rec, options, err);
    if (code == 0 && !options->no_series)
        code = weir_record_series_begin(
            rec, options->series_ps != 0 ? options->series_ps : rec->setup->scn->run.series_ps, err);
    if (code == 0)
        code = weir_store_commit(rec->store, err);
    if (code != 0)
        return code;
    code = weir_writer_start(&rec->writer, rec->store, rec->run, weir_wall_ns, err);
    if (code != 0)
        weir_record_forget(rec);
    return code;
}

int weir_record_open(struct weir_record *rec, const struct weir_record_options *options, const struct weir_setup *setup,
                     struct weir_err *err)
{
    int code = 0;
    *rec = (struct weir_record){ .setup = setup, .no_messages = options->no_messages };
    if (options->keep_messages > 0)
        code = weir_kept_init(&rec->sample, options->keep_messages, err);
    if (code == 0)
        code = weir_store_open(&rec->store, options->output, options->caller, err);
    if (code == 0)
        code = open_run(rec, options, err);
    if (code != 0)
        weir_record_close(rec);
    return code;
}

int weir_record_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    struct weir_record *rec = ctx;
    for (size_t i = 0; i < count && rec->sample.most > 0; i++)
        weir_kept_add(&rec->sample, &row[i]);
    if (rec->sample.most > 0)
        return 0;
    while (count > 0 && !rec->no_messages) {
        size_t part = count < WEIR_WRITER_BATCH_MESSAGES ? count : WEIR_WRITER_BATCH_MESSAGES, kept = 0;
        struct weir_store_message *to = weir_writer_messages(rec->writer);
        if (to == NULL)
            return WEIR_E_FILE;
        for (size_t i = 0; i < part; i++)
            if (!row[i].d.is_reply)
                to[kept++] = (struct weir_store_message){ row[i].d, 1 };
        weir_writer_push(rec->writer, kept);
        row += part;
        count -= part;
    }
    return 0;
}

/* Returns WEIR_E_FILE, and sets err->code to WEIR_E_FILE, if code is WEIR_E_CONFLICT: another program has locked the
 * file. Returns any other code unchanged. During a run a locked file is a failed write, not an error of the command
 * line. */
static int late(int code, struct weir_err *err)
{
    if (code == WEIR_E_CONFLICT)
        code = err->code = WEIR_E_FILE;
    return code;
}

struct batch { /* of the messages of a sample */
    struct weir_writer *writer;
    struct weir_store_message *message; /* NULL = none was asked for since the last push */
    size_t count;
};

static bool take_kept(void *ctx, const struct weir_store_message *message)
{
    struct batch *b = ctx;
    if (b->message == NULL)
        b->message = weir_writer_messages(b->writer);
    if (b->message == NULL)
        return false;
    b->message[b->count++] = *message;
    if (b->count < WEIR_WRITER_BATCH_MESSAGES)
        return true;
    weir_writer_push(b->writer, b->count);
    b->message = NULL;
    b->count = 0;
    return true;
}

/* Passes the messages of a sample to the writer. If writing fails, weir_writer_stop() returns the reason. */
static void push_kept(struct weir_record *rec)
{
    struct batch batch = { .writer = rec->writer };
    if (weir_kept_each(&rec->sample, take_kept, &batch) && batch.count > 0)
        weir_writer_push(rec->writer, batch.count);
}

int weir_record_stop(struct weir_record *rec, struct weir_err *err)
{
    int code = 0;
    if (rec->writer != NULL && rec->sample.most > 0)
        push_kept(rec);
    if (rec->writer != NULL)
        code = late(weir_writer_stop(rec->writer, err), err);
    rec->writer = NULL;
    return code;
}

struct metric_target {
    struct weir_record *rec;
    struct weir_err *err;
};

static int put_metric(void *ctx, const char *path, const double *value)
{
    struct metric_target *to = ctx;
    return weir_store_metric(to->rec->store, to->rec->run, path, value, to->err);
}

static void print_numbers(FILE *out, const void *finding)
{
    struct weir_json json = { .out = out, .depth = 2, .first = true }; /* on one line */
    weir_json_open(&json, NULL);
    weir_finding_json_numbers(&json, finding);
    weir_json_close(&json);
}

static int put_finding(struct weir_record *rec, const struct weir_finding *f, uint32_t number, struct weir_err *err)
{
    char text[WEIR_FINDING_TEXT], *numbers = weir_memory_text(print_numbers, f);
    struct weir_store_finding row = { .number = number,
                                      .kind = weir_finding_key(f->kind),
                                      .place = f->link[0] != '\0' ? f->link : NULL,
                                      .text = text,
                                      .numbers = numbers };
    int code;
    weir_finding_text(f, text);
    code = numbers == NULL ? fail_memory(err) : weir_store_finding(rec->store, rec->run, &row, err);
    free(numbers);
    return code;
}

static int put_findings(struct weir_record *rec, const struct weir_findings *findings, struct weir_err *err)
{
    int code = 0;
    for (uint32_t i = 0; i < findings->count && code == 0; i++)
        code = put_finding(rec, &findings->row[i], i, err);
    return code;
}

static int put_laws(struct weir_record *rec, const struct weir_report *report, struct weir_err *err)
{
    const struct weir_result *r = report->result;
    int code = 0;
    for (uint32_t k = 0; k < r->law_count && code == 0; k++)
        code = weir_store_law(rec->store, rec->run, k, report->law_protocol[k], &r->law[k], err);
    for (uint32_t i = 0; i < r->class_count && code == 0; i++)
        code = weir_store_class(rec->store, rec->run, &r->of_class[i], err);
    return code;
}

static int put_results(struct weir_record *rec, const struct weir_report *report, struct weir_store_end *end,
                       struct weir_err *err)
{
    struct metric_target to = { rec, err };
    int code = 0;
    end->sim_s = (double)report->result->sim_ps / (double)WEIR_PS_PER_S;
    end->wall_s = (double)report->result->wall_ns / 1e9;
    if (report->result->detail != NULL)
        code = weir_record_detail(rec, report->result->detail, err);
    if (code == 0 && report->result->jobs != NULL)
        code = weir_store_jobs(rec->store, rec->run, report->result->jobs, err);
    if (code == 0)
        code = put_findings(rec, report->findings, err);
    if (code == 0)
        code = put_laws(rec, report, err);
    return code != 0 ? code : weir_json_numbers(end->json, put_metric, &to);
}

/* Writes how the run ended, unless code, of what was written before, is an error, and commits the transaction or takes
 * it back. @return code, or that of the first error with err */
static int end_run(struct weir_record *rec, const struct weir_store_end *end, int code, struct weir_err *err)
{
    if (code == 0)
        code = weir_store_run_end(rec->store, rec->run, end, err);
    if (code == 0)
        code = weir_store_commit(rec->store, err);
    weir_store_rollback(rec->store);
    return late(code, err);
}

int weir_record_finish(struct weir_record *rec, const char *status, const struct weir_report *report,
                       struct weir_err *err)
{
    struct weir_store_end end = { .status = status };
    char digest[17], *json = NULL, *changed = NULL;
    int code = weir_store_begin_durable(rec->store, err);
    if (code != 0)
        return late(code, err);
    if (rec->scenario != NULL || (rec->changes != NULL && rec->changes[0] != '\0')) {
        end.scenario = changed = changed_scenario(rec);
        code = changed == NULL ? fail_memory(err) : 0;
    }
    if (code == 0 && report != NULL) {
        (void)snprintf(digest, sizeof(digest), "%016" PRIx64, report->result->digest);
        end.digest = digest;
        end.json = json = weir_memory_text(print_json, report);
        code = json == NULL ? fail_memory(err) : put_results(rec, report, &end, err);
    }
    if (code == 0 && rec->sample.most > 0) {
        const struct weir_store_kept about = weir_kept_about(&rec->sample);
        code = weir_store_kept(rec->store, rec->run, &about, err);
    }
    code = end_run(rec, &end, code, err);
    free(json);
    free(changed);
    return code;
}

void weir_length_json(FILE *out, uint64_t warmup_ps, uint64_t measure_ps)
{
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    weir_json_decimal(&json, "warmup_s", warmup_ps, 12);
    weir_json_decimal(&json, "measured_s", measure_ps, 12);
    weir_json_close(&json);
}

static void print_length(FILE *out, const void *length_ps)
{
    const uint64_t *ps = length_ps;
    weir_length_json(out, ps[0], ps[1]);
}

int weir_record_length(struct weir_record *rec, uint64_t warmup_ps, uint64_t measure_ps, struct weir_err *err)
{
    const uint64_t ps[] = { warmup_ps, measure_ps };
    char *json = weir_memory_text(print_length, ps);
    struct weir_store_end end = { .status = "done", .json = json };
    struct metric_target to = { rec, err };
    int code = json == NULL ? fail_memory(err) : weir_store_begin_durable(rec->store, err);
    if (code == 0)
        code = weir_json_numbers(json, put_metric, &to);
    code = end_run(rec, &end, code, err);
    free(json);
    return code;
}

void weir_record_forget(struct weir_record *rec)
{
    struct weir_err ignored; /* on failure the row stays, and is later shown as a failed run */
    if (weir_store_run_remove(rec->store, rec->run, &ignored) == 0)
        rec->run = 0;
}

void weir_record_close(struct weir_record *rec)
{
    weir_store_close(rec->store);
    free(rec->series);
    weir_kept_free(&rec->sample);
    free(rec->kept);
    *rec = (struct weir_record){ 0 };
}
