/* src/results/output/findings_text.c - prints findings as sentences and as JSON. A sentence states the problem, its
 * cause, and a remedy. */
#include "output/findings.h"
#include "core/feature_counter.h"
#include "core/math.h"
#include "text/format.h"
#include <stdio.h>
#include <string.h>

struct number_key {  /* describes one number of a finding in JSON */
    const char *key; /* NULL = there are no more */
    uint32_t digits; /* decimals: the JSON shows the number divided by 10^digits */
    bool maybe;      /* value 0 means that the number does not apply */
};

static const struct {
    const char *key;
    struct number_key number[WEIR_FINDING_NUMBERS + 1];
} kinds[WEIR_FINDING_KINDS] = {
    [WEIR_FINDING_STALLED] = { "stalled", { { "stall_s", 12, false } } },
    [WEIR_FINDING_CUT] = { "interrupted", { { "sim_s", 12, false }, { "planned_s", 12, true } } },
    [WEIR_FINDING_UNMEASURED] = { "unmeasured", { { "sim_s", 12, false }, { "planned_s", 12, true } } },
    [WEIR_FINDING_OVERLOADED] = { "overloaded",
                                  { { "offered", 6, false },
                                    { "links", 0, false },
                                    { "nodes", 0, false },
                                    { "from_tier", 0, false },
                                    { "to_tier", 0, false },
                                    { "load_fits", 6, true } } },
    [WEIR_FINDING_SHORT] = { "too_short",
                             { { "arrived", 6, false },
                               { "longest_bytes", 0, false },
                               { "longest_s", 12, false },
                               { "measure_s", 12, false },
                               { "warmup_s", 12, true },
                               { "sim_s", 12, false } } },
    [WEIR_FINDING_BEHIND] = { "behind", { { "arrived", 6, false }, { "late", 6, false }, { "overloaded", 0, false } } },
    [WEIR_FINDING_GROWING] = { "growing", { { "grown", 6, false }, { "late", 6, false }, { "overloaded", 0, false } } },
    [WEIR_FINDING_BEYOND] = { "beyond", { { "messages", 0, false }, { "started", 0, false } } },
    [WEIR_FINDING_UNFINISHED] = { "unfinished",
                                  { { "messages", 0, false },
                                    { "started", 0, false },
                                    { "counted", 0, false },
                                    { "slowest", 6, true },
                                    { "ends", 0, false } } },
    [WEIR_FINDING_HOST_LOST] = { "lost_with_host", { { "messages", 0, false }, { "started", 0, false } } },
    [WEIR_FINDING_JOBS] = { "jobs_unfinished", { { "jobs", 0, false }, { "of", 0, false }, { "ends", 0, false } } },
    [WEIR_FINDING_EMPTY] = { "no_slowdown", { { "started", 0, false }, { "measure_s", 12, true } } },
    [WEIR_FINDING_LEFT_OUT] = { "left_out", { { "messages", 0, false } } },
    [WEIR_FINDING_QUEUE] = { "queue_grows",
                             { { "mean_1_bytes", 0, false },
                               { "mean_2_bytes", 0, false },
                               { "mean_3_bytes", 0, false },
                               { "mean_4_bytes", 0, false } } },
    [WEIR_FINDING_LOSSLESS] = { "lossless_drops", { { "data", 0, false }, { "data_of_cause", 0, false } } },
    [WEIR_FINDING_NO_DATA] = { "no_data_dropped",
                               { { "acks", 0, false }, { "credits", 0, false }, { "control", 0, false } } },
    [WEIR_FINDING_NEEDLESS] = { "sent_again_needlessly",
                                { { "duplicates", 0, false }, { "sent_again", 0, false }, { "timeouts", 0, false } } },
    [WEIR_FINDING_SATURATED] = { "saturated", { { "packets", 0, false } } },
    [WEIR_FINDING_SAMPLES] = { "samples_lost", { { NULL, 0, false } } },
};

static const struct {
    const char *key, *text;
} verdicts[] = {
    [WEIR_VERDICT_STABLE] = { "stable", "yes" },
    [WEIR_VERDICT_SO_FAR] = { "so_far", "so far" },
    [WEIR_VERDICT_SHORT] = { "too_short", "not known: the run is too short" },
    [WEIR_VERDICT_UNSTABLE] = { "unstable", "no" },
    [WEIR_VERDICT_GROWS] = { "queue_grows", "no: a queue grows" },
    [WEIR_VERDICT_STALLED] = { "stalled", "stalled" },
    [WEIR_VERDICT_CUT] = { "interrupted", "not known: the run was interrupted" },
    [WEIR_VERDICT_UNMEASURED] = { "unmeasured", "not known: nothing was measured" },
};

const char *weir_finding_key(enum weir_finding_kind kind)
{
    return kinds[kind].key;
}

const char *weir_verdict_key(enum weir_verdict verdict)
{
    return verdicts[verdict].key;
}

const char *weir_verdict_text(enum weir_verdict verdict)
{
    return verdicts[verdict].text;
}

/* Returns a share in millionths as percent: with one decimal below 100 % ("91.3"), without decimals from 100 % on
 * ("122"). */
static struct weir_text percent(uint64_t ppm)
{
    return weir_format_rounded(ppm, 4, ppm < 1000000 ? 1 : 0);
}

static struct weir_text times(uint64_t ppm)
{
    return weir_format_rounded(ppm, 6, 1);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static const char *are(uint64_t count)
{
    return count == 1 ? "is" : "are";
}

/* Appends formatted text to the sentence in the variable `out`. Text that does not fit is cut. */
#define SAY(...)                                                                                                       \
    do {                                                                                                               \
        size_t used_ = strlen(out);                                                                                    \
        (void)snprintf(out + used_, WEIR_FINDING_TEXT - used_, __VA_ARGS__);                                           \
    } while (0)

/* Appends the overloaded links of a finding, with "is" or "are". A single link is named: "the link X is". Several links
 * of hosts become "the links from 12 hosts are". Several links of one switch become "2 uplinks of leaf 0 are". Other
 * links become "8 uplinks of 4 switches are". */
static void say_links(char *out, const struct weir_finding *f)
{
    uint64_t links = f->number[1], nodes = f->number[2];
    bool up = f->number[3] < f->number[4], host_up = f->number[3] == 0, host_down = f->number[4] == 0;
    if (links == 1)
        SAY("the link %s is", f->link);
    else if (host_up || host_down)
        SAY("the links %s %s hosts are", host_up ? "from" : "to", weir_format_grouped(nodes).text);
    else if (nodes == 1)
        SAY("%s %s of %.*s are", weir_format_grouped(links).text, up ? "uplinks" : "links",
            (int)strcspn(f->link, ">") - 1, f->link);
    else
        SAY("%s %s of %s switches are", weir_format_grouped(links).text, up ? "uplinks" : "links",
            weir_format_grouped(nodes).text);
}

static void say_overloaded(char *out, const struct weir_finding *f)
{
    say_links(out, f);
    SAY(" offered %s %% of %s rate, headers included", percent(f->number[0]).text, f->number[1] == 1 ? "its" : "their");
    if (f->number[1] > 1)
        SAY(" (most: %s)", f->link);
    if (f->number[5] > 0)
        SAY("; a load of %s %% of the host links would just fit", percent(f->number[5]).text);
}

static void say_end(char *out, const struct weir_finding *f)
{
    SAY("the run %s after %s", f->number[2] != 0 ? "was interrupted" : "ended by itself",
        weir_format_ps(f->number[0]).text);
    if (f->number[1] > 0)
        SAY(" of %s", weir_format_ps(f->number[1]).text);
    SAY("%s", f->kind == WEIR_FINDING_CUT ? ": all numbers are of that part"
                                          : ", in its warm-up: only counts of the whole run are known");
}

/* Returns a time without zeros at the end of its decimals: "30 ms", not "30.00 ms". */
static struct weir_text length(uint64_t ps)
{
    struct weir_text text = weir_format_ps(ps);
    char *unit = strchr(text.text, ' '), *end = unit;
    if (unit == NULL || strchr(text.text, '.') == NULL)
        return text;
    while (end[-1] == '0')
        end--;
    if (end[-1] == '.')
        end--;
    memmove(end, unit, strlen(unit) + 1);
    return text;
}

static void say_short(char *out, const struct weir_finding *f)
{
    SAY("%s %% of what was offered arrived: the run is %s its longest messages take (%s: about %s); measure at least "
        "%s",
        percent(f->number[0]).text, f->number[2] > f->number[5] ? "shorter than" : "not much longer than",
        weir_format_bytes(f->number[1]).text, length(f->number[2]).text, length(f->number[3]).text);
    if (f->number[4] > 0)
        SAY(", after a warm-up of %s", length(f->number[4]).text);
}

static void say_behind(char *out, const struct weir_finding *f)
{
    if (f->kind == WEIR_FINDING_BEHIND)
        SAY("%s %% of what was offered arrived", percent(f->number[0]).text);
    else
        SAY("what waits grew by %s %% of what was offered", percent(f->number[0]).text);
    if (f->number[2] != 0)
        SAY(": with links that are offered more than their rate, slowdown and queues grow with the length of the run");
    else
        SAY(", and %s %% of what waits has taken more than twice its usual time: the network does not keep up; "
            "slowdown and queues "
            "grow with the length of the run, so lower the load",
            percent(f->number[1]).text);
}

static void say_queue(char *out, const struct weir_finding *f)
{
    SAY("the queue of %s grew in every quarter of the measured part: ", f->link[0] != '\0' ? f->link : "a port");
    for (uint32_t q = 0; q < WEIR_QUARTERS; q++)
        SAY("%s%s", q == 0 ? "" : ", ", weir_format_bytes(f->number[q]).text);
    SAY("; endless flows fill it, and queues grow with the length of the run");
}

static void say_unfinished(char *out, const struct weir_finding *f)
{
    SAY("%s of %s messages unfinished", weir_format_grouped(f->number[0]).text, weir_format_grouped(f->number[1]).text);
    if (f->number[2] > 0)
        SAY(", left out of slowdown: a lower bound");
    if (f->number[3] >= 1000000)
        SAY("; one has taken %s times its least time so far", times(f->number[3]).text);
    if (f->number[4] != 0)
        SAY("; measure: all waits for the last");
}

static void say_empty(char *out, const struct weir_finding *f)
{
    SAY("no message %s", f->number[0] == 0 ? "started: there is nothing to measure"
                                           : "that counts in slowdown ended in the measured part");
    if (f->number[1] > 0)
        SAY("; measure at least %s", length(f->number[1]).text);
}

static void say_lossless(char *out, const struct weir_finding *f)
{
    SAY("%s packet%s of data dropped in lossless classes, ", weir_format_grouped(f->number[0]).text,
        plural(f->number[0]));
    if (f->number[1] < f->number[0])
        SAY("%s of them ", weir_format_grouped(f->number[1]).text);
    SAY("by %s.%s; look at fabric.pfc.headroom and fabric.buffer", f->cause.feature, f->cause.rule->name);
}

static void say_no_data(char *out, const struct weir_finding *f)
{
    static const char *const noun[] = { "ACK", "credit", "control packet" };
    const char *between = "no data was dropped, only ";
    for (uint32_t i = 0; i < 3; i++) {
        if (f->number[i] == 0)
            continue;
        SAY("%s%s %s%s", between, weir_format_grouped(f->number[i]).text, noun[i], plural(f->number[i]));
        between = ", ";
    }
}

static void say_needless(char *out, const struct weir_finding *f)
{
    SAY("%s of %s packets sent again had arrived: ", weir_format_grouped(f->number[0]).text,
        weir_format_grouped(f->number[1]).text);
    SAY("%s", f->number[2] > 0 ? "the timer is too short" : "no timer ran out, so they were late and not lost");
    if (f->key != NULL)
        SAY("; raise %s", f->key);
}

static void say_saturated(char *out, const struct weir_finding *f)
{
    SAY("%s %s", weir_format_grouped(f->number[0]).text, f->count->counter->finding);
}

static void say_rest(char *out, const struct weir_finding *f)
{
    uint64_t n = f->number[0];
    switch (f->kind) {
    case WEIR_FINDING_STALLED:
        SAY("messages wait, and nothing new arrived any more (run.stall: %s); look for packets lost for good, cables "
            "that stay down, "
            "or pauses that wait for each other",
            weir_format_ps(n).text);
        break;
    case WEIR_FINDING_BEYOND:
        SAY("%s of %s messages need%s ten times this run or more, even alone: slowdown is without %s; read goodput, "
            "fairness and queues",
            weir_format_grouped(n).text, weir_format_grouped(f->number[1]).text, n == 1 ? "s" : "",
            n == 1 ? "it" : "them");
        break;
    case WEIR_FINDING_HOST_LOST:
        SAY("%s of %s messages %s lost with a host that restarted: %s in no slowdown", weir_format_grouped(n).text,
            weir_format_grouped(f->number[1]).text, n == 1 ? "was" : "were", n == 1 ? "it is" : "they are");
        break;
    case WEIR_FINDING_JOBS:
        SAY("%s of %s jobs unfinished: no completion time of %s%s", weir_format_grouped(n).text,
            weir_format_grouped(f->number[1]).text, n == 1 ? "it" : "theirs",
            f->number[2] != 0 ? "; measure: all waits for them" : "");
        break;
    case WEIR_FINDING_LEFT_OUT:
        SAY("%s message%s %s of traffic that does not count in slowdown (traffic.measured; incasts beside other "
            "traffic)",
            weir_format_grouped(n).text, plural(n), are(n));
        break;
    default:
        SAY("memory ran out for samples: percentiles are of the earlier messages only");
        break;
    }
}

void weir_finding_text(const struct weir_finding *f, char out[WEIR_FINDING_TEXT])
{
    static void (*const say[WEIR_FINDING_KINDS])(char *out, const struct weir_finding *f) = {
        [WEIR_FINDING_CUT] = say_end,
        [WEIR_FINDING_UNMEASURED] = say_end,
        [WEIR_FINDING_OVERLOADED] = say_overloaded,
        [WEIR_FINDING_SHORT] = say_short,
        [WEIR_FINDING_QUEUE] = say_queue,
        [WEIR_FINDING_LOSSLESS] = say_lossless,
        [WEIR_FINDING_NO_DATA] = say_no_data,
        [WEIR_FINDING_NEEDLESS] = say_needless,
        [WEIR_FINDING_SATURATED] = say_saturated,
        [WEIR_FINDING_BEHIND] = say_behind,
        [WEIR_FINDING_GROWING] = say_behind,
        [WEIR_FINDING_UNFINISHED] = say_unfinished,
        [WEIR_FINDING_EMPTY] = say_empty,
    };
    out[0] = '\0';
    (say[f->kind] != NULL ? say[f->kind] : say_rest)(out, f);
}

void weir_findings_warn(const struct weir_findings *findings, FILE *out)
{
    char text[WEIR_FINDING_TEXT];
    for (uint32_t i = 0; i < findings->count; i++) {
        weir_finding_text(&findings->row[i], text);
        (void)fprintf(out, "weir: %s\n", text);
    }
}

void weir_finding_json_numbers(struct weir_json *json, const struct weir_finding *f)
{
    for (const struct number_key *n = kinds[f->kind].number; n->key != NULL; n++) {
        uint64_t value = f->number[n - kinds[f->kind].number];
        if (n->maybe && value == 0)
            weir_json_null(json, n->key);
        else
            weir_json_decimal(json, n->key, value, n->digits);
    }
}

void weir_findings_json(struct weir_json *json, const struct weir_findings *findings)
{
    char text[WEIR_FINDING_TEXT];
    weir_json_open_list(json, "findings");
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct weir_finding *f = &findings->row[i];
        weir_json_open(json, NULL);
        weir_json_string(json, "kind", weir_finding_key(f->kind));
        weir_json_string(json, "place", f->link[0] != '\0' ? f->link : NULL);
        weir_finding_json_numbers(json, f);
        weir_finding_text(f, text);
        weir_json_string(json, "text", text);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}
