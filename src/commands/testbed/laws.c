/* src/commands/testbed/laws.c - libweir's protocols over a real port of 200 Mb/s, next to the kernel's TCP. There are
 * calls during an incast, as figure 3 of SIRD's paper has them, Soze's shares by weight, and Dart's parts of the line.
 * Each number is the median of several measurements. */
#include "testbed/laws.h"
#include "core/assert.h"
#include "reproduce/stats.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Keys of the switch. PLAIN has no effect: the queue never holds as much as it marks at. Without a feature the switch
 * would be a bridge, which counts less. */
#define PLAIN "ecn: 2 MB"
#define MARKS "ecn: 30 KB"
#define DELAYS "maxqd: {unit: 256 ns, filter: 200 us}"

enum { POINT = 64, SETTINGS = 200, WEIGHTED = 2, PARTS_MAX = 4 };

static const char *const value_names[WEIR_LAWS_VALUES + 1] = {
    [WEIR_LAWS_IDLE_P50] = "idle_p50_ms",
    [WEIR_LAWS_P50] = "p50_ms",
    [WEIR_LAWS_P99] = "p99_ms",
    [WEIR_LAWS_GOODPUT] = "goodput_mbps",
    [WEIR_LAWS_WAIT] = "wait_ms",
    [WEIR_LAWS_DROPS] = "drops",
    [WEIR_LAWS_RAISED] = "raised",
    [WEIR_LAWS_USE] = "use_percent",
    [WEIR_LAWS_RATE] = "mbps_1",
    "mbps_2",
    "mbps_3",
    "mbps_4",
    "mbps_5",
    "mbps_6",
};

struct point { /* all measurements of a case; numbers by repetition */
    double number[WEIR_FIG_REPEATS_MAX][WEIR_LAWS_VALUES];
};

static int run_case(struct weir_figs *figs, const void *ctx, double *value, struct weir_err *err)
{
    return weir_laws_measure(figs, ctx, value, err);
}

/* Takes the numbers of a case from the result file, or else measures it. repeat: from 0 */
static int take(struct weir_figs *figs, const char *figure, const struct weir_laws_case *c, uint32_t repeat,
                struct point *p, struct weir_err *err)
{
    char point[POINT], settings[SETTINGS];
    const struct weir_fig_measurement m = { .key = { figure, point, settings, value_names },
                                            .run = run_case,
                                            .ctx = c };
    (void)snprintf(point, sizeof(point), "%s, %u", c->name, (unsigned)repeat + 1);
    (void)snprintf(settings, sizeof(settings), "%u s, %s, switch {%s}, %u senders of %s, %s at once",
                   (unsigned)c->seconds, c->cc, c->fabric, (unsigned)c->senders, c->size, c->outstanding);
    return weir_fig_measure(figs, &m, p->number[repeat], err);
}

/* Makes the measurements of several cases. Each repetition has all of them, so that what changes on the machine meets
 * all. *points: gets count of them, for free(). @return 0, or a code with err */
static int take_all(struct weir_figs *figs, const char *figure, const struct weir_laws_case *c, size_t count,
                    struct point **points, struct weir_err *err)
{
    int code = 0;
    *points = calloc(count, sizeof(**points));
    if (*points == NULL)
        return weir_fail_memory(err);
    WEIR_ASSERT(figs->repeats >= 1);
    WEIR_ASSERT(figs->repeats <= WEIR_FIG_REPEATS_MAX);
    figs->made = 0, figs->planned = (uint32_t)count * figs->repeats;
    for (uint32_t k = 0; k < figs->repeats && code == 0; k++)
        for (size_t i = 0; i < count && code == 0; i++)
            code = take(figs, figure, &c[i], k, &(*points)[i], err);
    return code;
}

/* Copies one number of all repetitions to `out`. */
static void column(const struct weir_figs *figs, const struct point *p, uint32_t value, double *out)
{
    for (uint32_t k = 0; k < figs->repeats; k++)
        out[k] = p->number[k][value];
}

struct shown { /* a number that is printed as it is */
    enum weir_laws_value of;
    const char *unit, *text;
};

/* Adds numbers of a case, whose description begins with its name. before: what comes before the name */
static void show(struct weir_figs *figs, const char *figure, const char *before, const char *name,
                 const struct point *p, const struct shown *shown, size_t count)
{
    double number[WEIR_FIG_REPEATS_MAX];
    for (size_t i = 0; i < count; i++) {
        column(figs, p, shown[i].of, number);
        weir_fig_add_median(figs, figure, shown[i].unit, number, WEIR_FIG_SHOWN, 0, "%s%s: %s", before, name,
                            shown[i].text);
    }
}

/* --- fig3 --- */

/* Bytes of a full frame that are no payload: Ethernet's 14, IP's 20, then UDP's 8 and what wire.h has, or TCP's 32. */
#define HEAD_CREDIT (42 + 49)
#define HEAD_STREAM (42 + 55)
#define HEAD_AREA (HEAD_STREAM + 4)
#define HEAD_TCP (34 + 32)

#define INCAST .senders = WEIR_LAWS_SENDERS, .size = "fixed:2MB", .outstanding = "4"
static const struct weir_laws_case fig3[] = {
    { .name = "sird", .cc = "sird pace=100%", .fabric = PLAIN, .head_bytes = HEAD_CREDIT, INCAST },
    { .name = "soze", .cc = "soze", .fabric = DELAYS, .head_bytes = HEAD_AREA, INCAST },
    { .name = "swift", .cc = "swift", .fabric = PLAIN, .head_bytes = HEAD_STREAM, INCAST },
    { .name = "dctcp", .cc = "dctcp", .fabric = MARKS, .head_bytes = HEAD_STREAM, INCAST },
    { .name = "dart", .cc = "dart", .fabric = MARKS, .head_bytes = HEAD_STREAM, INCAST },
    { .name = "tcp cubic", .tcp = true, .cc = "cubic", .fabric = PLAIN, .head_bytes = HEAD_TCP, INCAST },
    { .name = "tcp bbr", .tcp = true, .cc = "bbr", .fabric = PLAIN, .head_bytes = HEAD_TCP, INCAST },
};
enum { FIG3 = sizeof(fig3) / sizeof(fig3[0]), FIG3_CUBIC = FIG3 - 2 };

static const struct shown fig3_shown[] = {
    { WEIR_LAWS_IDLE_P50, "ms", "8 B call, idle, median" },
    { WEIR_LAWS_P50, "ms", "8 B call, median" },
    { WEIR_LAWS_P99, "ms", "8 B call, p99" },
    { WEIR_LAWS_GOODPUT, "Mb/s", "goodput of the receiver" },
    { WEIR_LAWS_WAIT, "ms", "wait in the queue, mean" },
    { WEIR_LAWS_DROPS, "", "frames dropped" },
};

static void show_fig3(struct weir_figs *figs, const struct point *p)
{
    double number[WEIR_FIG_REPEATS_MAX];
    for (size_t i = 0; i < FIG3; i++) {
        show(figs, "fig3", "", fig3[i].name, &p[i], fig3_shown, sizeof(fig3_shown) / sizeof(fig3_shown[0]));
        for (uint32_t k = 0; k < figs->repeats; k++) /* of one repetition: what changes on the machine meets both */
            number[k] = p[FIG3_CUBIC].number[k][WEIR_LAWS_P50] / p[i].number[k][WEIR_LAWS_P50];
        weir_fig_add_median(figs, "fig3", "times", number, WEIR_FIG_SHOWN, 0, "%s: cubic's median over this one's",
                            fig3[i].name);
    }
}

static int run_fig3(struct weir_figs *figs, struct weir_err *err)
{
    struct weir_laws_case c[FIG3];
    struct point *points = NULL;
    int code;
    for (size_t i = 0; i < FIG3; i++) {
        c[i] = fig3[i];
        c[i].seconds = figs->seconds;
    }
    code = take_all(figs, "fig3", c, FIG3, &points, err);
    if (code == 0)
        show_fig3(figs, points);
    free(points);
    return code;
}

/* --- weights --- */

/* A connection goes on from message to message, and beta is a quarter of the port's rate over the sum of weights. */
#define SOZE "soze beta=12.5Mbps host.connections=1 restart=false"

static const struct shown weights_shown[] = {
    { WEIR_LAWS_USE, "%", "use of the port" },
    { WEIR_LAWS_WAIT, "ms", "wait in the queue" },
    { WEIR_LAWS_RAISED, "", "delays raised" },
};

static int run_weights(struct weir_figs *figs, struct weir_err *err)
{
    static const uint32_t weight[WEIGHTED] = { 1, 3 };
    struct weir_laws_case c[] = {
        { .name = "by delays", .fabric = DELAYS },
        { .name = "by round trips", .fabric = PLAIN },
    };
    enum { CASES = sizeof(c) / sizeof(c[0]) };
    struct point *points = NULL;
    double number[WEIR_FIG_REPEATS_MAX];
    int code;
    for (size_t i = 0; i < CASES; i++) {
        c[i].cc = SOZE, c[i].senders = WEIGHTED, c[i].weight = weight, c[i].seconds = figs->seconds;
        c[i].size = "fixed:20MB", c[i].outstanding = "2";
    }
    code = take_all(figs, "weights", c, CASES, &points, err);
    for (size_t i = 0; i < CASES && code == 0; i++) {
        for (uint32_t k = 0; k < figs->repeats; k++)
            number[k] = points[i].number[k][WEIR_LAWS_RATE + 1] / points[i].number[k][WEIR_LAWS_RATE];
        weir_fig_add_median(figs, "weights", "times", number, WEIR_FIG_NEAR, 3, "1:3 %s: rate of 3 over that of 1",
                            c[i].name);
        weir_fig_slack(figs, 0.15);
        show(figs, "weights", "1:3 ", c[i].name, &points[i], weights_shown,
             sizeof(weights_shown) / sizeof(weights_shown[0]));
    }
    free(points);
    return code;
}

/* --- dasr --- */

/* Adds the rates of n senders in percent of line / n: the least of all repetitions and senders, and the largest. */
static void show_parts(struct weir_figs *figs, const struct point *p, uint32_t n)
{
    double least[WEIR_FIG_REPEATS_MAX], most[WEIR_FIG_REPEATS_MAX];
    const double part = (double)WEIR_LAWS_BPS / 1e6 / n;
    WEIR_ASSERT(n <= WEIR_LAWS_SENDERS);
    for (uint32_t k = 0; k < figs->repeats; k++) {
        least[k] = most[k] = 100 * p->number[k][WEIR_LAWS_RATE] / part;
        for (uint32_t i = 1; i < n; i++) {
            double percent = 100 * p->number[k][WEIR_LAWS_RATE + i] / part;
            least[k] = fmin(least[k], percent);
            most[k] = fmax(most[k], percent);
        }
    }
    weir_fig_add_median(figs, "dasr", "%", least, WEIR_FIG_NEAR, 100, "n = %u: least rate, of line / n", (unsigned)n);
    weir_fig_slack(figs, 5);
    weir_fig_add_median(figs, "dasr", "%", most, WEIR_FIG_NEAR, 100, "n = %u: largest rate, of line / n", (unsigned)n);
    weir_fig_slack(figs, 5);
}

static const struct shown dasr_shown[] = {
    { WEIR_LAWS_IDLE_P50, "ms", "round trip, idle, median" },
    { WEIR_LAWS_P50, "ms", "round trip, median" },
    { WEIR_LAWS_P99, "ms", "round trip, p99" },
};

static int run_dasr(struct weir_figs *figs, struct weir_err *err)
{
    static const uint32_t count[] = { 1, 2, PARTS_MAX };
    enum { CASES = sizeof(count) / sizeof(count[0]) };
    static const char *const name[CASES] = { "n = 1", "n = 2", "n = 4" };
    struct weir_laws_case c[CASES];
    struct point *points = NULL;
    int code;
    for (size_t i = 0; i < CASES; i++)
        c[i] = (struct weir_laws_case){ .name = name[i],
                                        .cc = "dart",
                                        .fabric = MARKS,
                                        .senders = count[i],
                                        .size = "fixed:20MB",
                                        .outstanding = "2",
                                        .seconds = figs->seconds };
    code = take_all(figs, "dasr", c, CASES, &points, err);
    for (size_t i = 0; i < CASES && code == 0; i++) {
        show_parts(figs, &points[i], count[i]);
        show(figs, "dasr", "", name[i], &points[i], dasr_shown, sizeof(dasr_shown) / sizeof(dasr_shown[0]));
    }
    free(points);
    return code;
}

const struct weir_fig weir_figs_laws[] = {
    { "fig3", "calls of 8 B to a receiver that six senders saturate at 200 Mb/s: five protocols, cubic and bbr",
      run_fig3 },
    { "weights", "Soze's shares of two senders with weights 1 and 3, by delays of the switch and by round trips",
      run_weights },
    { "dasr", "Dart's senders at line / n, for n = 1, 2 and 4, and round trips next to them", run_dasr },
    { NULL, NULL, NULL },
};
