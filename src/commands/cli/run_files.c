/* src/commands/cli/run_files.c - the files that a run writes besides the result file; see run_files.h. */
#include "cli/run_files.h"
#include "cli/taps.h"
#include "core/assert.h"
#include "output/links_csv.h"
#include "hooks/features.h"
#include "text/format.h"
#include "text/print.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool has(const struct weir_run_files *files, enum weir_run_file which)
{
    return files->out[which].file != NULL && !files->lost[which];
}

/* Records a failed write, if code is WEIR_E_FILE. @return 0 then, so that the run goes on; else code */
static int note(struct weir_run_files *files, enum weir_run_file which, int code)
{
    files->lost[which] = files->lost[which] || code == WEIR_E_FILE;
    return code == WEIR_E_FILE ? 0 : code;
}

/* --- at the beginning --- */

/* Returns a bit for each law of a run that is sender-driven. */
static uint32_t stream_laws(const struct weir_host_config *host)
{
    uint32_t bits = 0;
    if (host->law == NULL)
        return host->credit == NULL;
    for (uint32_t i = 0; i < host->law_count; i++)
        bits |= (host->law[i].credit == NULL ? 1u : 0u) << i;
    return bits;
}

static int make_capture(struct weir_run_files *files, const struct weir_run_args *args, struct weir_err *err)
{
    const struct weir_topology *topo = &files->setup->topo;
    int code;
    files->tap = calloc(topo->link_count, sizeof(*files->tap));
    if (files->tap == NULL)
        return weir_fail_memory(err);
    code = weir_taps_set(files->tap, topo, args->tap, args->tap_count, err);
    return code != 0
               ? code
               : weir_pcapng_init(&files->pcap, topo, &files->setup->model.features, files->tap, args->cap_bytes, err);
}

static int make_digest(struct weir_run_files *files, const struct weir_run_args *args, struct weir_err *err)
{
    files->digest = (struct weir_packet_digest){ .topo = &files->setup->topo,
                                                 .features = &files->setup->model.features,
                                                 .packet = args->digest_packet,
                                                 .until_ps = args->digest_until_ps };
    return weir_packet_digest_init(&files->digest, err);
}

/* Refuses a file that this scenario cannot have, and prepares the writers of files. No file is open yet. @return 0, or
 * a code with err */
static int make_ready(struct weir_run_files *files, const struct weir_run_args *args, struct weir_err *err)
{
    const struct weir_model *model = &files->setup->model;
    int code = 0;
    if (args->to[WEIR_RUN_PAUSES] != NULL && !weir_features_have_control(&model->features))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "for example --set fabric.pfc=static turns them on",
                         "--pauses: there are no pause frames in this scenario");
    if (args->digest_until_ps != 0)
        code = make_digest(files, args, err);
    else if (args->to[WEIR_RUN_PCAP] != NULL)
        code = make_capture(files, args, err);
    if (code == 0 && args->to[WEIR_RUN_FCT] != NULL)
        code = weir_fct_init(&files->fct, model, err);
    if (code == 0 && args->to[WEIR_RUN_TRACE] != NULL)
        code = weir_trace_init(&files->trace, model, args->cap_bytes, err);
    return code;
}

/* Prepares the writers for the open files, and writes the headers of those that have one. If such a write fails, the
 * error is found when the file is put into place. */
static void write_heads(struct weir_run_files *files)
{
    files->messages = (struct weir_messages_csv){ .file = files->out[WEIR_RUN_MESSAGES].file,
                                                  .workload = files->setup->model.workload };
    files->pauses = (struct weir_pause_trace){ .file = files->out[WEIR_RUN_PAUSES].file, .topo = &files->setup->topo };
    files->fct.file = files->out[WEIR_RUN_FCT].file;
    files->pcap.file = files->out[WEIR_RUN_PCAP].file;
    files->pcap.stream_laws = stream_laws(&files->setup->model.host);
    files->trace.file = files->out[WEIR_RUN_TRACE].file;
    if (has(files, WEIR_RUN_MESSAGES))
        (void)weir_messages_csv_header(&files->messages);
    if (has(files, WEIR_RUN_PCAP))
        (void)weir_pcapng_begin(&files->pcap);
    if (has(files, WEIR_RUN_TRACE))
        weir_trace_begin(&files->trace);
}

int weir_run_files_open(struct weir_run_files *files, const struct weir_run_args *args, const struct weir_setup *setup,
                        const struct weir_outfile_keep *keep, struct weir_err *err)
{
    int code;
    *files = (struct weir_run_files){ .setup = setup };
    code = make_ready(files, args, err);
    for (uint32_t i = 0; i < WEIR_RUN_FILES && code == 0; i++)
        if (args->to[i] != NULL)
            code = weir_outfile_open(&files->out[i], args->to[i], keep, err);
    if (code == 0)
        write_heads(files);
    else
        weir_run_files_abandon(files);
    return code;
}

/* --- while the run goes on --- */

bool weir_run_files_take_rows(const struct weir_run_files *files)
{
    return has(files, WEIR_RUN_MESSAGES) || has(files, WEIR_RUN_FCT) || has(files, WEIR_RUN_TRACE);
}

bool weir_run_files_take_snapshots(const struct weir_run_files *files)
{
    return has(files, WEIR_RUN_TRACE);
}

int weir_run_files_rows(struct weir_run_files *files, const struct weir_account_row *row, size_t count)
{
    int code = 0;
    if (has(files, WEIR_RUN_MESSAGES))
        code = note(files, WEIR_RUN_MESSAGES, weir_messages_csv_pairs(&files->messages, row, count));
    if (code == 0 && has(files, WEIR_RUN_FCT))
        code = note(files, WEIR_RUN_FCT, weir_fct_rows(&files->fct, row, count));
    if (code == 0 && has(files, WEIR_RUN_TRACE))
        code = note(files, WEIR_RUN_TRACE, weir_trace_rows(&files->trace, row, count));
    return code;
}

int weir_run_files_snapshot(struct weir_run_files *files, const struct weir_snapshot *snapshot)
{
    if (!has(files, WEIR_RUN_TRACE))
        return 0;
    return note(files, WEIR_RUN_TRACE, weir_trace_snapshot(&files->trace, snapshot));
}

static int take_control(void *ctx, const struct weir_control_row *row, size_t count)
{
    struct weir_run_files *files = ctx;
    int code = 0;
    if (has(files, WEIR_RUN_PAUSES))
        code = note(files, WEIR_RUN_PAUSES, weir_pause_trace_rows(&files->pauses, row, count));
    if (code == 0 && has(files, WEIR_RUN_TRACE))
        code = note(files, WEIR_RUN_TRACE, weir_trace_control(&files->trace, row, count));
    return code;
}

static int take_packets(void *ctx, const struct weir_packet_row *row, size_t count)
{
    struct weir_run_files *files = ctx;
    if (!has(files, WEIR_RUN_PCAP))
        return 0;
    return note(files, WEIR_RUN_PCAP, weir_pcapng_rows(&files->pcap, row, count));
}

void weir_run_files_options(struct weir_run_files *files, struct weir_sim_options *options)
{
    bool trace = has(files, WEIR_RUN_TRACE);
    bool control = has(files, WEIR_RUN_PAUSES) || (trace && weir_features_have_control(&files->setup->model.features));
    options->control = control ? take_control : NULL;
    options->control_ctx = files;
    options->packets = has(files, WEIR_RUN_PCAP) ? take_packets : NULL;
    options->packets_ctx = files;
    options->tap = files->tap;
    options->links = has(files, WEIR_RUN_LINKS);
    options->snapshot_ports = trace;
    if (files->digest.kept != NULL)
        weir_packet_digest_options(&files->digest, options);
}

/* --- at the end --- */

static void report_cap(const struct weir_outfile *out, uint64_t cap_bytes, uint64_t ended_ps, uint64_t left_out,
                       const char *what)
{
    if (left_out > 0)
        (void)fprintf(stderr, "weir: %s: full at its cap of %s (--cap): the last %s %s, from %s on, are left out\n",
                      out->name, weir_format_bytes(cap_bytes).text, weir_format_grouped(left_out).text, what,
                      weir_format_ps(ended_ps).text);
}

static int write_ends(struct weir_run_files *files, const struct weir_result *result)
{
    int code = 0;
    if (has(files, WEIR_RUN_MESSAGES))
        code = note(files, WEIR_RUN_MESSAGES, weir_messages_csv_end(&files->messages));
    if (code == 0 && has(files, WEIR_RUN_LINKS))
        code =
            note(files, WEIR_RUN_LINKS, weir_links_csv(files->out[WEIR_RUN_LINKS].file, &files->setup->topo, result));
    if (code == 0 && has(files, WEIR_RUN_TRACE))
        code = note(files, WEIR_RUN_TRACE, weir_trace_end(&files->trace, result));
    return code;
}

/* Frees the memory that is needed only while the run goes on. */
static void free_takers(struct weir_run_files *files)
{
    weir_messages_csv_free(&files->messages);
    weir_fct_free(&files->fct);
    weir_pcapng_free(&files->pcap);
    weir_trace_free(&files->trace);
    weir_packet_digest_free(&files->digest);
    free(files->tap);
    files->fct = (struct weir_fct){ 0 };
    files->pcap = (struct weir_pcapng){ 0 };
    files->trace = (struct weir_trace){ 0 };
    files->tap = NULL;
}

int weir_run_files_commit(struct weir_run_files *files, const struct weir_result *result, struct weir_err *err)
{
    int code = write_ends(files, result);
    if (code == WEIR_E_MEMORY)
        return weir_fail_memory(err);
    WEIR_ASSERT(code == 0); /* note() has turned errors of files into 0 */
    if (has(files, WEIR_RUN_PCAP))
        report_cap(&files->out[WEIR_RUN_PCAP], files->pcap.cap_bytes, files->pcap.ended_ps, files->pcap.left_out,
                   "packets");
    if (has(files, WEIR_RUN_TRACE))
        report_cap(&files->out[WEIR_RUN_TRACE], files->trace.cap_bytes, files->trace.ended_ps, files->trace.left_out,
                   "events");
    for (uint32_t i = 0; i < WEIR_RUN_FILES; i++)
        if (files->out[i].file != NULL)
            (void)weir_outfile_commit(&files->out[i], &files->why[i]);
    free_takers(files);
    return 0;
}

bool weir_run_files_complain(const struct weir_run_files *files)
{
    bool any = false;
    for (uint32_t i = 0; i < WEIR_RUN_FILES; i++) {
        if (files->why[i].code != 0)
            weir_cli_error(&files->why[i]);
        any = any || files->why[i].code != 0;
    }
    return any;
}

void weir_run_files_abandon(struct weir_run_files *files)
{
    for (uint32_t i = 0; i < WEIR_RUN_FILES; i++)
        weir_outfile_abandon(&files->out[i]);
    free_takers(files);
    *files = (struct weir_run_files){ 0 };
}
