/* src/results/report/dropped.c - see dropped.h. */
#include "report/dropped.h"
#include "core/assert.h"
#include "report/causes.h"
#include "report/html.h"
#include <math.h>
#include <string.h>

enum { CAUSES = 24, CAUSES_SHOWN = 3, NAMED_MAX = 4 };

struct dropped {                   /* means over the done runs of a set */
    const struct weir_run *run;    /* the first of the set */
    size_t runs;                   /* done runs that have the number of drops; 0 = nothing is known */
    double drops, losses, carried; /* packets; carried: by links, each link counts; NaN = not known */
    struct weir_cause_line cause[CAUSES];
    size_t causes;
};

static double total(const struct dropped *t)
{
    return t->drops + t->losses;
}

/* Returns the packets without credits: laws that pace credit drop it in order to slow senders. */
static double without_credits(const struct dropped *t)
{
    double packets = total(t);
    for (size_t i = 0; i < t->causes; i++)
        packets -= t->cause[i].pkts[WEIR_LOST_CREDIT];
    return packets;
}

/* Tests whether more was dropped or lost of a set than of another. Credits decide only between equals. */
static bool is_more(const struct dropped *a, const struct dropped *b)
{
    double more = without_credits(a) - without_credits(b);
    return more > 0 || (!(more < 0) && total(a) > total(b));
}

static double total_of_cause(const struct weir_cause_line *cause)
{
    double sum = 0;
    for (int kind = 0; kind < WEIR_LOST_KINDS; kind++)
        sum += cause->pkts[kind];
    return sum;
}

/* Adds the causes in a list of a run (runs.h). */
static void add_causes(struct dropped *t, const char *list)
{
    struct weir_cause_line line;
    while (weir_cause_next(&list, &line)) {
        size_t i = 0;
        while (i < t->causes && strcmp(t->cause[i].name, line.name) != 0)
            i++;
        if (i == CAUSES)
            continue;
        if (i == t->causes)
            t->cause[t->causes++] = line;
        else
            for (int kind = 0; kind < WEIR_LOST_KINDS; kind++)
                t->cause[i].pkts[kind] += line.pkts[kind];
    }
}

static void add_run(struct dropped *t, const struct weir_run *run)
{
    if (strcmp(weir_run_text_of(run, WEIR_RUN_STATUS), "done") != 0 || isnan(run->value[WEIR_RUN_DROPS]))
        return;
    t->runs++;
    t->drops += run->value[WEIR_RUN_DROPS];
    t->losses += isnan(run->value[WEIR_RUN_LOSSES]) ? 0 : run->value[WEIR_RUN_LOSSES]; /* a file of an older Weir */
    t->carried += run->value[WEIR_RUN_PACKET_HOPS];
    add_causes(t, weir_run_text_of(run, WEIR_RUN_DROPS_BY_CAUSE));
    add_causes(t, weir_run_text_of(run, WEIR_RUN_LOSSES_BY_CAUSE));
}

static void take(struct dropped *t, const struct weir_set *set)
{
    *t = (struct dropped){ .run = set->run };
    for (size_t i = 0; i < set->count; i++)
        add_run(t, &set->run[i]);
    if (t->runs == 0)
        return;
    t->drops /= (double)t->runs;
    t->losses /= (double)t->runs;
    t->carried /= (double)t->runs;
    for (size_t i = 0; i < t->causes; i++)
        for (int kind = 0; kind < WEIR_LOST_KINDS; kind++)
            t->cause[i].pkts[kind] /= (double)t->runs;
}

static const char *count_text(double packets, struct weir_number *number)
{
    *number = weir_number_plain(packets, 3);
    return number->text;
}

/* Writes " (0.015 % of the packets that links carried)"; nothing if that is not known. */
static void put_share(FILE *out, const struct dropped *t)
{
    double percent = 100 * total(t) / t->carried;
    if (!isfinite(percent))
        return;
    if (percent < 0.001)
        (void)fputs(" (less than 0.001 % of the packets that links carried)", out);
    else
        (void)fprintf(out, " (%s %% of the packets that links carried)", weir_number_plain(percent, 2).text);
}

/* Writes the kinds of packets that a rule took: "70 data, 9 ACKs". alone: all packets are of this rule; then one kind
 * needs no number: "all data" */
static void put_kinds(FILE *out, const struct weir_cause_line *cause, bool alone)
{
    const char *before = "";
    for (int kind = 0; kind < WEIR_LOST_KINDS; kind++) {
        const char *name = weir_cause_kind_name((enum weir_lost_kind)kind);
        double packets = cause->pkts[kind];
        size_t letters = strlen(name) - (packets == 1 && name[strlen(name) - 1] == 's'); /* "1 ACK" */
        struct weir_number number;
        if (packets > 0 && alone && packets == total_of_cause(cause))
            (void)fprintf(out, "all %s", name);
        else if (packets > 0)
            (void)fprintf(out, "%s%s %.*s", before, count_text(packets, &number), (int)letters, name);
        before = packets > 0 ? ", " : before;
    }
}

/* Returns the cause with most packets among those that *shown does not have, and adds it to *shown: bit i is cause i.
 * There must be one. */
static const struct weir_cause_line *next_cause(const struct dropped *t, uint32_t *shown)
{
    size_t best = CAUSES;
    for (size_t i = 0; i < t->causes; i++)
        if ((*shown >> i & 1) == 0 &&
            (best == CAUSES || total_of_cause(&t->cause[i]) > total_of_cause(&t->cause[best])))
            best = i;
    WEIR_ASSERT(best < CAUSES);
    *shown |= UINT32_C(1) << best;
    return &t->cause[best];
}

/* Writes ": 70 data because the memory of a switch was full; 9 ACKs because ..; others for 2 more reasons". */
static void put_causes(FILE *out, const struct dropped *t)
{
    uint32_t shown = 0;
    for (size_t i = 0; i < t->causes && i < CAUSES_SHOWN; i++) {
        const struct weir_cause_line *cause = next_cause(t, &shown);
        const char *reason = weir_cause_reason(cause->name);
        (void)fputs(i == 0 ? ": " : "; ", out);
        put_kinds(out, cause, t->causes == 1);
        (void)fputs(reason != NULL ? " because " : " by the rule ", out);
        weir_html_text(out, reason != NULL ? reason : cause->name);
    }
    if (t->causes > CAUSES_SHOWN)
        (void)fprintf(out, "; others for %zu more reason%s", t->causes - CAUSES_SHOWN,
                      t->causes == CAUSES_SHOWN + 1 ? "" : "s");
}

/* Writes what was dropped or lost of a set. among: of several */
static void put_most(FILE *out, const struct dropped *t, bool among)
{
    struct weir_number number;
    (void)fputs(t->losses == 0 ? "Dropped: " : t->drops == 0 ? "Lost on the wire: " : "Dropped or lost: ", out);
    if (among) {
        (void)fputs("most with ", out);
        weir_html_text(out, t->run->text[WEIR_RUN_LABEL]);
        (void)fputs(", ", out);
    }
    (void)fprintf(out, "<strong>%s packet%s</strong>", count_text(total(t), &number), total(t) == 1 ? "" : "s");
    (void)fputs(t->runs > 1 ? " a run" : "", out);
    put_share(out, t);
    put_causes(out, t);
    (void)fputc('.', out);
}

/* Writes the sets besides the one with most. some: those of which packets were dropped or lost, else those without any.
 * count: how many they are */
static void put_others(FILE *out, const struct weir_group *group, const struct dropped *most, bool some, size_t count)
{
    size_t put = 0;
    (void)fputs(count == 0 ? "" : some ? " Also with " : " Nothing with ", out);
    for (size_t i = 0; i < group->count && count > 0;) {
        const struct weir_set set = weir_set_first(&group->run[i], group->count - i);
        struct weir_number number;
        struct dropped t;
        take(&t, &set);
        i += set.count;
        if (t.runs == 0 || t.run == most->run || (total(&t) > 0) != some || put == NAMED_MAX)
            continue;
        (void)fputs(put == 0 ? "" : put + 1 == count ? " and " : ", ", out);
        weir_html_text(out, t.run->text[WEIR_RUN_LABEL]);
        if (some)
            (void)fprintf(out, " (%s", count_text(total(&t), &number));
        if (some && without_credits(&t) < total(&t))
            (void)fprintf(out, ", %s of them credits", count_text(total(&t) - without_credits(&t), &number));
        (void)fputs(some ? ")" : "", out);
        put++;
    }
    if (count > put)
        (void)fprintf(out, " and %zu more set%s", count - put, count - put == 1 ? "" : "s");
    (void)fputs(count > 0 ? "." : "", out);
}

void weir_dropped_sentences(FILE *out, const struct weir_group *group)
{
    struct dropped most = { .runs = 0 };
    size_t some = 0, none = 0;
    for (size_t i = 0; i < group->count;) {
        const struct weir_set set = weir_set_first(&group->run[i], group->count - i);
        struct dropped t;
        take(&t, &set);
        i += set.count;
        some += t.runs > 0 && total(&t) > 0;
        none += t.runs > 0 && !(total(&t) > 0);
        if (t.runs > 0 && (most.runs == 0 || is_more(&t, &most)))
            most = t;
    }
    if (some + none == 0)
        return;
    (void)fputs("<p class=\"facts\">", out);
    if (some == 0) {
        (void)fputs("Nothing was dropped or lost.", out);
    } else {
        put_most(out, &most, some + none > 1);
        put_others(out, group, &most, true, some - 1);
        put_others(out, group, &most, false, none);
    }
    (void)fputs("</p>\n", out);
}
