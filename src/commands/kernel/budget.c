/* src/commands/kernel/budget.c - `weir tcp budget` and `weir tcp audit`: how much weight the sockets of a cgroup
 * may have, who asked for which weight, and who asked for more. */
#include "bpf/law_replay.h"
#include "bpf/pins.h"
#include "core/units.h"
#include "kernel/tcp.h"
#include "param/param.h"
#include "text/format.h"
#include "text/outfile.h"
#include "text/print.h"
#include "text/stop.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LAW "soze" /* the only one with weights */
#define OFFENDERS_MAX 64u

struct budget_args {
    uint32_t sum_ppm;
};

static const struct weir_param sum_row = WEIR_PARAM_NAMED("budget", struct budget_args, sum_ppm, WEIR_KIND_PPM, 0,
                                                          4000000000, 0, "largest sum of the weights of a cgroup");

int weir_tcp_budget(int argc, char **argv)
{
    struct budget_args args = { 0 };
    struct weir_err err;
    uint64_t cgroup = 0;
    if (argc != 2) {
        (void)weir_fail(&err, WEIR_E_SYNTAX, NULL, "weir tcp budget /sys/fs/cgroup/tenant 20; 0 = no limit",
                        "tcp budget: needs a folder of cgroup v2 and the largest sum of its sockets' weights");
        return weir_cli_refused(&err);
    }
    if (weir_param_set(&sum_row, &(struct weir_tok){ .text = argv[1] }, &args, &err) != 0 ||
        weir_cgroup_number(argv[0], &cgroup, &err) != 0 ||
        weir_law_budget_cgroup(LAW, cgroup, args.sum_ppm / 1000, &err) != 0)
        return weir_cli_refused(&err);
    return WEIR_EXIT_DONE;
}

struct audit { /* what the log says */
    FILE *csv;
    uint64_t entries, refused;
    struct offender {
        uint64_t cgroup, refused;
        uint32_t pid;
    } offender[OFFENDERS_MAX];
    uint32_t offenders;
};

static void put_name(FILE *out, uint64_t cgroup)
{
    char folder[512];
    if (weir_cgroup_folder(cgroup, folder, sizeof(folder)))
        weir_cli_text(out, folder);
    else
        (void)fprintf(out, "%" PRIu64, cgroup);
}

static void count_refused(struct audit *a, const struct weir_tcp_weight_event *e)
{
    uint32_t i = 0;
    a->refused++;
    while (i < a->offenders && (a->offender[i].cgroup != e->cgroup || a->offender[i].pid != e->pid))
        i++;
    if (i == OFFENDERS_MAX)
        return; /* the sum is right; the list has the first ones */
    if (i == a->offenders)
        a->offender[a->offenders++] = (struct offender){ .cgroup = e->cgroup, .pid = e->pid };
    a->offender[i].refused++;
}

static void take_row(void *context, const struct weir_tcp_weight_event *e)
{
    struct audit *a = context;
    a->entries++;
    if (e->refused)
        count_refused(a, e);
    if (a->csv == NULL)
        return;
    (void)fprintf(a->csv, "%s,%" PRIu32 ",", weir_format_decimal(e->time_ns, 9).text, e->pid);
    put_name(a->csv, e->cgroup);
    (void)fprintf(a->csv, ",%" PRIu64 ",%s,", e->socket, weir_format_decimal(e->asked_milli, 3).text);
    (void)fprintf(a->csv, "%s,%s\n", weir_format_decimal(e->weight_milli, 3).text, e->refused ? "refused" : "given");
}

/* Prints what is used of each budget, and who asked for more than was left. */
static void print_audit(const struct audit *a)
{
    struct weir_tcp_budget budget;
    struct weir_law_loaded loaded;
    struct weir_err ignored;
    uint64_t cgroup = 0;
    (void)printf("log         %s requests, %s of them refused\n", weir_format_grouped(a->entries).text,
                 weir_format_grouped(a->refused).text);
    if (weir_law_status(LAW, &loaded, &ignored) == 0 && loaded.counts.unlogged > 0)
        (void)printf("lost        %s requests since it was loaded: the log was full\n",
                     weir_format_grouped(loaded.counts.unlogged).text);
    while (weir_law_next_budget(LAW, &cgroup, &budget)) {
        if (budget.limit_milli == UINT64_MAX)
            continue; /* it has no limit any more */
        (void)printf("budget      ");
        put_name(stdout, cgroup);
        (void)printf(": %s of %s used, %s requests refused\n",
                     weir_format_decimal(budget.used_milli > 0 ? (uint64_t)budget.used_milli : 0, 3).text,
                     weir_format_decimal(budget.limit_milli, 3).text, weir_format_grouped(budget.refused).text);
    }
    for (uint32_t i = 0; i < a->offenders; i++) {
        (void)printf("exceeds     process %" PRIu32 " in ", a->offender[i].pid);
        put_name(stdout, a->offender[i].cgroup);
        (void)printf(", %s times\n", weir_format_grouped(a->offender[i].refused).text);
    }
}

int weir_tcp_audit(uint64_t for_ps, const char *csv)
{
    struct audit a = { 0 };
    struct weir_outfile out = { 0 };
    struct weir_err err;
    if (csv != NULL && weir_outfile_open(&out, csv, NULL, &err) != 0)
        return weir_cli_refused(&err);
    a.csv = out.file;
    if (a.csv != NULL)
        (void)fprintf(a.csv, "time_s,pid,cgroup,socket,asked,weight,answer\n");
    weir_stop_install();
    int code = weir_audit_kernel(LAW, for_ps, weir_stop_flag(), take_row, &a, &err);
    if (csv != NULL && code == 0)
        code = weir_outfile_commit(&out, &err);
    weir_outfile_abandon(&out);
    if (code != 0)
        return weir_cli_refused(&err);
    print_audit(&a);
    return weir_cli_finish(a.refused > 0 ? WEIR_EXIT_CHECK : WEIR_EXIT_DONE);
}
