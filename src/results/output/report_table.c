/* src/results/output/report_table.c - prints a report as a table: what was run, the speed of the simulation, and the
 * results. */
#include "core/feature_counter.h"
#include "core/math.h"
#include "core/units.h"
#include "measure/metrics.h"
#include "output/compare_print.h"
#include "output/jobs_print.h"
#include "output/metrics.h"
#include "output/report.h"
#include "text/format.h"
#include <inttypes.h>
#include <string.h>

#define LABEL 12  /* columns of the label of a line */
#define WIDTH 100 /* columns of a line */
#define CELL 10
#define RANGE 34
#define COUNT 12
#define PART 22        /* columns of the name of a law or class, .. */
#define PART_NUMBER 10 /* .. of a number of it, .. */
#define PART_RATE 12   /* .. and of its goodput */

static void label(FILE *out, const char *text)
{
    (void)fprintf(out, "%-*s%s", LABEL, text, strlen(text) < LABEL ? "" : " ");
}

/* Returns part / whole in percent with one decimal; whole > 0. */
static struct weir_text percent(uint64_t part, uint64_t whole)
{
    return weir_format_rounded(weir_mul_div_u64(part, 1000000, whole), 4, 1);
}

static void put_scenario(FILE *out, const struct weir_report *r)
{
    label(out, "scenario");
    (void)fprintf(out, "%.80s\n", r->scenario);
    label(out, "network");
    (void)fprintf(out, "%s, %s hosts at %s, base RTT %s, BDP %s B\n", r->topology,
                  weir_format_grouped(r->result->hosts).text, weir_format_bps(r->host_rate_bps).text,
                  weir_format_ps(r->base_rtt_ps).text, weir_format_grouped(r->bdp_bytes).text);
    label(out, "protocol");
    (void)fprintf(out, "%s\n", r->protocol);
    for (uint32_t i = 0; r->sizes_key != NULL && i < r->sizes.count; i++) {
        if (i == 0)
            label(out, r->sizes_key);
        (void)fprintf(out, "%s B%s", weir_format_grouped(r->sizes.bytes[i]).text, i + 1 < r->sizes.count ? ", " : "\n");
    }
    label(out, "load");
    if (r->load_bps > 0)
        (void)fprintf(out, "%s %% of the host links", percent(r->load_bps, r->host_rate_bps).text);
    if (r->listed_messages > 0)
        (void)fprintf(out, "%s%s listed messages", r->load_bps > 0 ? ", " : "",
                      weir_format_grouped(r->listed_messages).text);
    (void)fprintf(out, "%s\n", r->load_bps == 0 && r->listed_messages == 0 ? "none" : "");
    label(out, "seed");
    (void)fprintf(out, "%" PRIu64 "\n", r->seed);
    label(out, "digest");
    (void)fprintf(out, "%016" PRIx64 "\n", r->result->digest);
    if (r->result->sampled) {
        label(out, "statistics");
        (void)fprintf(out, "sampled: queues are known by their samples alone, and may have been longer\n");
    }
    (void)fputc('\n', out);
}

/* Says how much was skipped, and what keeps the rest from repeating. */
static void put_skipped(FILE *out, const struct weir_result *res)
{
    const struct weir_skipped *s = &res->skipped;
    const char *why = s->never != NULL ? s->never : s->last;
    if (!s->asked)
        return;
    label(out, "skipped");
    if (s->stretches == 0) {
        (void)fprintf(out, "nothing: %s\n", why != NULL ? why : "no time was left to look for a period");
        return;
    }
    (void)fprintf(out, "%s in %s stretch%s, %s %% of the packet-hops%s%s\n", weir_format_ps(s->skipped_ps).text,
                  weir_format_grouped(s->stretches).text, s->stretches == 1 ? "" : "es",
                  percent(s->packet_hops, res->packet_hops).text, why != NULL ? "; the last try: " : "",
                  why != NULL ? why : "");
}

static void put_speed(FILE *out, const struct weir_report *r)
{
    const struct weir_result *res = r->result;
    label(out, "simulated");
    (void)fprintf(out, "%s, of which %s measured%s\n", weir_format_ps(res->sim_ps).text,
                  weir_format_ps(res->measured_ps).text, res->interrupted ? " (interrupted)" : "");
    label(out, "wall time");
    (void)fprintf(out, "%s + %s set-up, %" PRIu32 " thread%s", weir_format_ps(res->wall_ns * WEIR_PS_PER_NS).text,
                  weir_format_ps(res->setup_ns * WEIR_PS_PER_NS).text, res->threads, res->threads == 1 ? "" : "s");
    if (res->ranks > 1)
        (void)fprintf(out, " in each of %" PRIu32 " processes", res->ranks);
    (void)fputc('\n', out);
    label(out, "speed");
    (void)fprintf(out, "%s packet-hops", weir_format_count(res->packet_hops).text);
    if (res->wall_ns > 0)
        (void)fprintf(out, ", %s/s, %s ms simulated per second",
                      weir_format_count(weir_mul_div_u64(res->packet_hops, 1000000000, res->wall_ns)).text,
                      weir_format_rounded(weir_mul_div_u64(res->sim_ps, 1000000000, res->wall_ns), 9, 2).text);
    (void)fprintf(out, "\n");
    if (res->calm_windows + res->exact_windows > 0) {
        label(out, "windows");
        (void)fprintf(out, "%s of switches, %s of them instant by instant\n",
                      weir_format_grouped(res->calm_windows + res->exact_windows).text,
                      weir_format_grouped(res->exact_windows).text);
    }
    put_skipped(out, res);
    weir_metrics_line(out, weir_result_metrics, res, "memory");
    (void)fputc('\n', out);
}

static void put_goodput(FILE *out, const struct weir_report *r)
{
    const struct weir_result *res = r->result;
    label(out, "goodput");
    if (res->measured_ps == 0) {
        (void)fprintf(out, "nothing was measured\n");
        return;
    }
    (void)fprintf(out, "%s per host, offered ", weir_format_bps(res->goodput_bps).text);
    if (weir_result_offers_rate(res))
        (void)fprintf(out, "%s", weir_format_bps(res->offered_bps).text);
    else
        (void)fprintf(out, "more than hosts can send");
    if (res->offered_bps > 0 && weir_result_offers_rate(res)) /* over 100 %: messages of the warm-up arrive, too */
        (void)fprintf(out, " (%s %% delivered%s)", percent(res->goodput_bps, res->offered_bps).text,
                      res->goodput_bps / 101 > res->offered_bps / 100 ? ", some of it from the warm-up" : "");
    (void)fprintf(out, "\n");
    label(out, "fairness");
    if (res->jain_ppm > 0)
        (void)fprintf(out, "%s (Jain, over the hosts that offered load)\n",
                      weir_format_rounded(res->jain_ppm, 6, 4).text);
    else
        (void)fprintf(out, "-\n");
}

/* Prints the sentence of a finding as a note below the verdict, wrapped at WIDTH columns. */
static void put_finding(FILE *out, const struct weir_finding *finding)
{
    char text[WEIR_FINDING_TEXT];
    size_t column = 0;
    weir_finding_text(finding, text);
    label(out, "  note");
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (column > 0 && column + 1 + length > WIDTH - LABEL) {
            (void)fprintf(out, "\n%*s", LABEL, "");
            column = 0;
        }
        (void)fprintf(out, "%s%.*s", column > 0 ? " " : "", (int)length, at);
        column += length + (column > 0 ? 1 : 0);
        at += length + strspn(at + length, " ");
    }
    (void)fputc('\n', out);
}

/* Prints the verdict and all findings. */
static void put_verdict(FILE *out, const struct weir_findings *findings)
{
    label(out, "stable");
    (void)fprintf(out, "%s\n", weir_verdict_text(findings->verdict));
    for (uint32_t i = 0; i < findings->count; i++)
        put_finding(out, &findings->row[i]);
}

/* Prints the line of a cause: how often it applied. For a cause of drops or losses the line also has the packets by
 * kind and, if ports have several classes, by class. */
static void put_cause(FILE *out, const struct weir_cause_count *row, uint32_t classes)
{
    static const char *const noun[WEIR_LOST_KINDS] = { "data", "ACK", "credit", "control packet" };
    uint64_t all = weir_cause_times(row);
    const char *between = " ", *end = weir_fate_ends(row->cause.rule->fate) ? ":" : "\n";
    char what[32];
    (void)snprintf(what, sizeof(what), "  %s", weir_fate_verbs[row->cause.rule->fate]);
    label(out, what);
    (void)fprintf(out, "%s by %s.%s%s", weir_format_grouped(all).text, row->cause.feature, row->cause.rule->name, end);
    if (!weir_fate_ends(row->cause.rule->fate))
        return;
    for (uint32_t k = 0; k < WEIR_LOST_KINDS; k++) {
        uint64_t pkts = weir_cause_kind(row, (enum weir_lost_kind)k);
        if (pkts == 0)
            continue;
        (void)fprintf(out, "%s%s %s%s", between, weir_format_grouped(pkts).text, noun[k], k > 0 && pkts > 1 ? "s" : "");
        between = ", ";
    }
    between = " (";
    for (uint32_t c = 0; classes > 1 && c < classes; c++) {
        uint64_t pkts = weir_cause_class(row, c);
        if (pkts == 0)
            continue;
        (void)fprintf(out, "%sclass %" PRIu32, between, c);
        if (pkts < all)
            (void)fprintf(out, ": %s", weir_format_grouped(pkts).text);
        between = ", ";
    }
    (void)fprintf(out, "%s\n", classes > 1 ? ")" : "");
}

static void put_causes(FILE *out, const struct weir_causes *causes)
{
    for (uint32_t i = 0; causes != NULL && i < causes->count; i++)
        if (weir_cause_times(&causes->row[i]) > 0)
            put_cause(out, &causes->row[i], causes->classes);
}

/* Prints a counter of times: the longest time, or the time in percent of the run, averaged over the c->lanes port parts
 * that have the counter. Prints nothing in place of a percentage if the run has no length or c->lanes is 0. */
static void put_counter_time(FILE *out, const struct weir_report *r, const struct weir_feature_count *c)
{
    if (c->counter->how == WEIR_COUNT_MOST_PS)
        (void)fprintf(out, "%s %s", c->counter->hint, weir_format_ps(c->value).text);
    else if (r->result->sim_ps > 0 && c->lanes > 0)
        (void)fprintf(out, "%s %s %% of the time of all ports", c->counter->hint,
                      percent(c->value / c->lanes, r->result->sim_ps).text);
}

/* Prints the port that a counter names; nothing if it names none, or the port is not known. */
static void put_counter_where(FILE *out, const struct weir_report *r, const struct weir_feature_count *c)
{
    char name[WEIR_LINK_NAME];
    if (c->counter->where == WEIR_COUNT_NOWHERE || c->link == UINT32_MAX || r->topo == NULL)
        return;
    weir_topology_link_name(r->topo, c->link, name, sizeof(name));
    (void)fprintf(out, "%s%.40s", c->counter->where == WEIR_COUNT_AT_PORT ? " at " : ", came by ", name);
}

/* Prints counters of a feature that have a hint, several on a line. rare false: prints the plain sums. rare true:
 * prints the counters that are a time or name a port, if they are not 0. A line ends after a counter that names a
 * port. name: label of the first line. @return true if a line was printed */
static bool put_feature(FILE *out, const struct weir_report *r, const struct weir_feature_count *c, uint32_t count,
                        bool rare, const char *name)
{
    bool begun = false, printed = false;
    for (uint32_t i = 0; i < count; i++) {
        bool is_rare = c[i].counter->how != WEIR_COUNT_SUM || c[i].counter->where != WEIR_COUNT_NOWHERE;
        if (c[i].counter->hint == NULL || is_rare != rare || (rare && c[i].value == 0))
            continue;
        if (begun)
            (void)fputs(", ", out);
        else
            label(out, printed ? "" : name);
        begun = printed = true;
        if (c[i].counter->how == WEIR_COUNT_SUM)
            (void)fprintf(out, "%s %s", weir_format_grouped(c[i].value).text, c[i].counter->hint);
        else
            put_counter_time(out, r, &c[i]);
        put_counter_where(out, r, &c[i]);
        if (c[i].counter->where != WEIR_COUNT_NOWHERE) {
            (void)fputc('\n', out);
            begun = false;
        }
    }
    if (begun)
        (void)fputc('\n', out);
    return printed;
}

/* Prints the counters of all switch features. The counters of one feature are adjacent in the result. */
static void put_features(FILE *out, const struct weir_report *r)
{
    const struct weir_feature_count *c = r->result->feature_count, *end = c + r->result->feature_counts;
    while (c < end) {
        uint32_t count = 1;
        while (c + count < end && strcmp(c[count].feature, c->feature) == 0)
            count++;
        bool printed = put_feature(out, r, c, count, false, c->feature);
        (void)put_feature(out, r, c, count, true, printed ? "" : c->feature);
        c += count;
    }
}

static void put_queue(FILE *out, const char *name, const struct weir_queue_stats *q, bool sampled, const char *instead)
{
    (void)fprintf(out, "%-*s", RANGE, name);
    if (instead != NULL)
        (void)fprintf(out, "%*s%*s%*s\n", CELL, instead, CELL, instead, CELL, instead);
    else
        (void)fprintf(out, "%*s%*s%*s\n", CELL, weir_format_millibytes(q->mean_millibytes).text, CELL,
                      weir_format_bytes(q->p99_bytes).text, CELL,
                      weir_format_bytes(sampled ? q->sampled_max_bytes : q->max_bytes).text);
}

static void put_queues(FILE *out, const struct weir_result *res)
{
    const char *instead = res->measured_ps == 0 ? "-" : NULL;
    (void)fprintf(out, "\n%-*s%*s%*s%*s\n", RANGE, res->stable ? "queue" : "queue, may still be growing", CELL, "mean",
                  CELL, "p99", CELL, res->sampled ? "largest" : "max");
    put_queue(out, "first-hop switch, in all", &res->tor_queue, res->sampled, instead);
    put_queue(out, "switch port", &res->port_queue, res->sampled, instead);
    if (res->has_sampled) {
        put_queue(out, "first-hop switch, of averages", &res->tor_queue_sampled, false, instead);
        put_queue(out, "switch port, of averages", &res->port_queue_sampled, false, instead);
    }
}

/* Writes the ranges of B and C in whole bytes with both ends included, so that it is clear to which group an edge
 * belongs. */
void weir_report_group(char *out, size_t size, const uint64_t edge[3], int group)
{
    uint64_t from = group == WEIR_GROUP_A ? 1 : 0, until = 0;
    if (group == WEIR_GROUP_ALL) {
        (void)snprintf(out, size, "all");
        return;
    }
    for (int i = 0; i < group - WEIR_GROUP_A; i++)
        from = weir_max_u64(from, edge[i]);
    until = group == WEIR_GROUP_D ? UINT64_MAX : edge[group - WEIR_GROUP_A];
    if (from >= until)
        (void)snprintf(out, size, "%c  no size", 'A' + group - WEIR_GROUP_A);
    else if (group == WEIR_GROUP_D)
        (void)snprintf(out, size, "D  from %s B", weir_format_grouped(from).text);
    else if (group == WEIR_GROUP_A)
        (void)snprintf(out, size, "A  below %s B", weir_format_grouped(until).text);
    else
        (void)snprintf(out, size, "%c  %s - %s B", 'A' + group - WEIR_GROUP_A, weir_format_grouped(from).text,
                       weir_format_grouped(until - 1).text);
}

/* Prints value / 10^digits in CELL columns: with three decimals below 100, with one decimal from 100 on, and the
 * decimal point always in the same column. instead: a text to print in place of the value; NULL = print the value. */
static void put_slowdown_cell(FILE *out, uint64_t value, uint32_t digits, const char *instead)
{
    uint64_t hundred = 100;
    for (uint32_t i = 0; i < digits; i++)
        hundred *= 10;
    if (instead != NULL)
        (void)fprintf(out, "%*s", CELL, instead);
    else if (value < hundred)
        (void)fprintf(out, "%*s", CELL, weir_format_rounded(value, digits, 3).text);
    else
        (void)fprintf(out, "%*s  ", CELL - 2, weir_format_rounded(value, digits, 1).text);
}

#define HEAD_FORMAT(key, ppm, head, more) "%*s"
#define HEAD(key, ppm, head, more) , CELL, head
#define PUT_PERCENTILE(key, ppm, head, more) put_slowdown_cell(out, d->key, 6, instead);

void weir_report_slowdown(FILE *out, const struct weir_report *r)
{
    const struct weir_result *res = r->result;
    bool bound =
        res->unfinished.counted[WEIR_GROUP_ALL] > 0 && res->slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL].count > 0;
    (void)fprintf(out, "\n%-*s%*s", RANGE, bound ? "slowdown (1 = ideal), lower bound" : "slowdown (1 = ideal)", COUNT,
                  "messages");
    (void)fprintf(out, "%*s" WEIR_PERCENTILES(HEAD_FORMAT, ) "\n", CELL, "mean" WEIR_PERCENTILES(HEAD, ));
    for (int g = 0; g < WEIR_GROUP_COUNT; g++) {
        const struct weir_dist *d = &res->slowdown[WEIR_SLOWDOWN_IDEAL][g];
        const char *instead = d->count == 0 ? "-" : NULL;
        char range[128];
        weir_report_group(range, sizeof(range), r->group_edge, g);
        (void)fprintf(out, "%-*s%*s", RANGE, range, COUNT, weir_format_grouped(d->count).text);
        put_slowdown_cell(out, d->mean_milli, 9, instead);
        WEIR_PERCENTILES(PUT_PERCENTILE, )
        (void)fprintf(out, "\n");
    }
}

/* Writes the name of a law: its number, protocol and class; or of a class: its number and those of its laws. */
static void part_name(char *out, size_t size, const struct weir_report *r, const struct weir_part_result *part)
{
    size_t used = 0;
    if (part >= r->result->law && part < r->result->law + r->result->law_count) {
        uint32_t k = (uint32_t)(part - r->result->law);
        (void)snprintf(out, size, "%u %s, class %u", (unsigned)k, r->law_protocol[k], (unsigned)part->class_id);
        return;
    }
    used = (size_t)snprintf(out, size, "%u, of law", (unsigned)part->class_id);
    for (uint32_t k = 0; k < r->result->law_count && used < size; k++)
        if ((part->laws >> k & 1) != 0)
            used += (size_t)snprintf(out + used, size - used, " %u", (unsigned)k);
}

static void put_part(FILE *out, const struct weir_report *r, const struct weir_part_result *part)
{
    char name[64];
    part_name(name, sizeof(name), r, part);
    (void)fprintf(out, "%-*s%*s%*s", PART, name, PART_NUMBER, weir_format_grouped(part->messages_started).text,
                  PART_NUMBER, weir_format_grouped(part->messages_completed).text);
    (void)fprintf(out, "%*s", PART_RATE, weir_format_bps(part->goodput_bps).text);
    if (part->demand_bytes > 0)
        (void)fprintf(out, "%*s %%", PART_NUMBER - 2, percent(part->arrived_bytes, part->demand_bytes).text);
    else
        (void)fprintf(out, "%*s", PART_NUMBER, "-");
    (void)fprintf(out, "%*s%*s%*s%*s\n", PART_NUMBER, weir_format_grouped(part->marks).text, PART_NUMBER,
                  weir_format_grouped(part->drops).text, PART_NUMBER, weir_format_grouped(part->retransmissions).text,
                  PART_NUMBER, weir_format_grouped(part->timeouts).text);
}

/* Prints a line for each part of the traffic, under a heading for their names. */
static void put_parts(FILE *out, const struct weir_report *r, const char *head, const struct weir_part_result *part,
                      uint32_t count)
{
    static const char *const heads[] = { "of demand", "marks", "drops", "resent", "timeouts" };
    (void)fprintf(out, "\n%-*s%*s%*s%*s", PART, head, PART_NUMBER, "messages", PART_NUMBER, "ended", PART_RATE,
                  "goodput");
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        (void)fprintf(out, "%*s", PART_NUMBER, heads[i]);
    (void)fputc('\n', out);
    for (uint32_t i = 0; i < count; i++)
        put_part(out, r, &part[i]);
}

/* Prints the slowdown of all messages of each part, without headings. what: "law" or "class" */
static void put_part_slowdown(FILE *out, const struct weir_report *r, const char *what,
                              const struct weir_part_result *part, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct weir_dist *d = &part[i].slowdown[WEIR_GROUP_ALL];
        const char *instead = d->count == 0 ? "-" : NULL;
        char name[64], line[80];
        part_name(name, sizeof(name), r, &part[i]);
        (void)snprintf(line, sizeof(line), "%s %s", what, name);
        (void)fprintf(out, "%-*s%*s", RANGE, line, COUNT, weir_format_grouped(d->count).text);
        put_slowdown_cell(out, d->mean_milli, 9, instead);
        WEIR_PERCENTILES(PUT_PERCENTILE, )
        (void)fprintf(out, "\n");
    }
}

/* Prints the intervals of the run's numbers, if it has them. */
static void put_intervals(FILE *out, const struct weir_result *res)
{
    const struct weir_intervals *at = &res->intervals;
    static const char label[] = "95 % intervals: ";
    if (!at->has_means)
        return;
    (void)fputs(label, out);
    if (at->has_slowdown)
        (void)fprintf(out, "mean +- %s", weir_format_rounded(at->slowdown_ppb, 9, 3).text);
    if (at->has_p50)
        (void)fprintf(out, ", p50 %s to %s", weir_format_rounded(at->p50_low_ppm, 6, 3).text,
                      weir_format_rounded(at->p50_high_ppm, 6, 3).text);
    if (at->has_p99)
        (void)fprintf(out, ", p99 %s to %s", weir_format_rounded(at->p99_low_ppm, 6, 3).text,
                      weir_format_rounded(at->p99_high_ppm, 6, 3).text);
    if (at->has_slowdown)
        (void)fprintf(out, "\n%*s", (int)strlen(label), "");
    (void)fprintf(out, "goodput +- %s, ToR queue +- %s\n", weir_format_bps(at->goodput_bps).text,
                  weir_format_bytes(at->queue_millibytes / 1000).text);
}

/* Prints the results of each law of a run with several, and of each class if they have DATA in several. Prints nothing
 * for a run with one law. */
static void put_laws(FILE *out, const struct weir_report *r)
{
    const struct weir_result *res = r->result;
    if (res->law_count == 0)
        return;
    put_parts(out, r, "law", res->law, res->law_count);
    if (res->laws_jain_ppm > 0)
        (void)fprintf(out, "fairness of laws %s, Jain's index of the column `of demand`\n",
                      weir_format_rounded(res->laws_jain_ppm, 6, 3).text);
    if (res->class_count > 0)
        put_parts(out, r, "class", res->of_class, res->class_count);
    (void)fprintf(out, "\n%-*s%*s%*s" WEIR_PERCENTILES(HEAD_FORMAT, ) "\n", RANGE,
                  res->class_count > 0 ? "slowdown by law and class" : "slowdown by law", COUNT, "messages", CELL,
                  "mean" WEIR_PERCENTILES(HEAD, ));
    put_part_slowdown(out, r, "law", res->law, res->law_count);
    put_part_slowdown(out, r, "class", res->of_class, res->class_count);
}

void weir_report_table(FILE *out, const struct weir_report *r)
{
    put_scenario(out, r);
    put_speed(out, r);
    put_goodput(out, r);
    put_verdict(out, r->findings);
    weir_metrics_line(out, weir_result_metrics, r->result, "messages");
    weir_metrics_line(out, weir_result_metrics, r->result, "recovery");
    weir_metrics_line(out, weir_result_metrics, r->result, "packets");
    put_causes(out, r->result->causes);
    weir_metrics_line(out, weir_result_metrics, r->result, "timeouts");
    put_features(out, r);
    weir_metrics_line(out, weir_result_metrics, r->result, "credit");
    put_queues(out, r->result);
    weir_report_slowdown(out, r);
    put_intervals(out, r->result);
    put_laws(out, r);
    weir_jobs_print(out, r->result->jobs);
    weir_compare_table(out, r->allocation);
}
