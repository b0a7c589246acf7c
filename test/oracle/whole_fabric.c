/* test/oracle/whole_fabric.c - the section `fabric` of a whole random scenario. Rows of weir_features[] tell which features exclude each
 * other and what they need of hosts. A row without a writer here is turned on by one of its examples, so that a new feature is in these
 * scenarios by itself. */
#include "core/credit_ops.h"
#include "core/feature.h"
#include "features/buffer/buffer.h"
#include "features/cables/cables.h"
#include "features/failures/failures.h"
#include "features/codel/codel.h"
#include "features/credit_gate/credit_gate.h"
#include "features/deflect/deflect.h"
#include "features/delay_variation/delay_variation.h"
#include "features/ecn/ecn.h"
#include "features/fair_rate/fair_rate.h"
#include "features/int/int.h"
#include "features/lanes/lanes.h"
#include "features/loss/loss.h"
#include "features/maxqd/maxqd.h"
#include "features/pfc/pfc.h"
#include "features/phantom/phantom.h"
#include "features/priorities/priorities.h"
#include "features/rcp/rcp.h"
#include "features/rpm/rpm.h"
#include "features/wrr/wrr.h"
#include "test/oracle/generate_whole.h"
#include <inttypes.h>
#include <string.h>

/* --- which are on --- */

static const struct
    by_need { /* features that are on where the protocol needs what they offer; only: and nowhere else */
    const struct weir_feature *row;
    uint32_t needs;
    bool only;
} by_need[] = {
    { &weir_int_feature, WEIR_NEED_INT | WEIR_NEED_ACK_INT, false },
    { &weir_fair_rate_feature, WEIR_NEED_FAIR_RATE, true },
    { &weir_maxqd_feature, WEIR_NEED_QDELAY, true },
    { &weir_phantom_feature, WEIR_NEED_QDELAY, true },
    { &weir_rcp_feature, WEIR_NEED_RCP, true },
    { &weir_credit_gate_feature, WEIR_NEED_GATE, true },
};

static const struct by_need *need_of(const struct weir_feature *row)
{
    for (size_t i = 0; i < sizeof(by_need) / sizeof(by_need[0]); i++)
        if (by_need[i].row == row)
            return &by_need[i];
    return NULL;
}

bool whole_has(const struct whole *w, const char *feature)
{
    for (uint32_t i = 0; weir_features[i] != NULL; i++)
        if (strcmp(weir_features[i]->name, feature) == 0)
            return w->on[i];
    return false;
}

static bool is_needed(const struct whole *w, const struct weir_feature *row)
{
    const struct by_need *n = need_of(row);
    if (row == &weir_ecn_feature)
        return (w->needs & (WEIR_NEED_ECN | WEIR_MAY_ECN)) != 0 && !whole_preset_says(w, "fabric.ecn");
    if (row == &weir_maxqd_feature || row == &weir_phantom_feature)
        return (w->needs & n->needs) != 0 && w->phantom == (row == &weir_phantom_feature);
    return n != NULL && (w->needs & n->needs) != 0;
}

static bool is_possible(const struct whole *w, const struct weir_feature *row)
{
    const struct by_need *n = need_of(row);
    if (row->when == WEIR_WHEN_COUPLED && w->g.nic == GEN_NIC_UNLIMITED)
        return false;
    if ((row->host_needs & (WEIR_FEATURE_NEEDS_SENDERS | WEIR_FEATURE_SENDERS_ALONE)) != 0 &&
        w->protocol->credit != NULL)
        return false;
    if (row == &weir_deflect_feature && (w->needs & WEIR_NEED_NO_ACKS) != 0)
        return false;
    return n == NULL || !n->only;
}

static bool excludes(const struct weir_feature *a, const struct weir_feature *b)
{
    for (const struct weir_feature_conflict *c = a->conflicts; c != NULL && c->name != NULL; c++)
        if (strcmp(c->name, b->name) == 0)
            return true;
    return weir_extensions_meet(a->extension, b->extension);
}

/* RPM is of use where the protocol obeys marks, and something marks: else it goes. */
static void settle_rpm(struct whole *w)
{
    for (uint32_t i = 0; weir_features[i] != NULL; i++)
        if (weir_features[i]->needs_marks)
            w->on[i] = w->on[i] && (w->needs & (WEIR_NEED_ECN | WEIR_MAY_ECN)) != 0 && w->g.nic != GEN_NIC_UNLIMITED;
}

static bool *on_of(struct whole *w, const struct weir_feature *row)
{
    uint32_t i = 0;
    while (weir_features[i] != row)
        i++;
    return &w->on[i];
}

/* Virtual lanes are of use where short messages are deflected and classes are paused; ACKs are above them. All three come with them, or they
 * would seldom meet; what excludes deflection goes, if the protocol does not need it. */
static void bring_lanes(struct whole *w)
{
    bool *lanes = on_of(w, &weir_lanes_feature);
    *lanes = *lanes && w->g.nic != GEN_NIC_UNLIMITED && is_possible(w, &weir_deflect_feature);
    if (!*lanes)
        return;
    *on_of(w, &weir_deflect_feature) = *on_of(w, &weir_pfc_feature) = *on_of(w, &weir_priorities_feature) = true;
    *on_of(w, &weir_wrr_feature) = false;
    *on_of(w, &weir_int_feature) = is_needed(w, &weir_int_feature);
}

static void settle_lanes(struct whole *w)
{
    bool *lanes = on_of(w, &weir_lanes_feature);
    *lanes = *lanes && whole_has(w, "deflect");
    w->g.data_last = *lanes;
}

/* A protocol that needs classes has nearly all that there can be: its keys are not drawn yet. */
static bool needs_classes(const struct whole *w)
{
    return w->protocol->credit != NULL && w->protocol->credit->classes != NULL;
}

static void settle_classes(struct whole *w)
{
    bool *lanes = on_of(w, &weir_lanes_feature), *priorities = on_of(w, &weir_priorities_feature);
    *priorities = *priorities || needs_classes(w);
    *lanes = *lanes && !needs_classes(w);
}

/* What the protocol needs stays; of two others one goes, seldom the first, which excludes several. */
static void part(struct whole *w, uint32_t a, uint32_t b)
{
    bool first = gen_one_in(&w->g, 4);
    if (is_needed(w, weir_features[a]))
        first = false;
    else if (is_needed(w, weir_features[b]))
        first = true;
    w->on[first ? a : b] = false;
}

void whole_plan_features(struct whole *w)
{
    bool telemetry, unlimited = gen_one_in(&w->g, 4), gate = (w->needs & WEIR_NEED_GATE) != 0;
    if ((unlimited && !whole_preset_says(w, "fabric.pfc")) || gate)
        w->g.nic = GEN_NIC_UNLIMITED;
    w->phantom =
        whole_preset_says(w, "signal: phantom") || (strcmp(w->protocol->name, "soze") == 0 && gen_one_in(&w->g, 3));
    w->phantom_acks = w->phantom && !gen_one_in(&w->g, 3);
    w->p_rtts = w->phantom && gen_one_in(&w->g, 2) ? 5 + gen_below(&w->g, 60) : 0;
    for (uint32_t i = 0; weir_features[i] != NULL; i++) {
        bool drawn = gen_one_in(&w->g, 3);
        w->on[i] = is_needed(w, weir_features[i]) || (drawn && is_possible(w, weir_features[i]));
    }
    settle_classes(w);
    bring_lanes(w);
    *on_of(w, &weir_priorities_feature) |= gate; /* credit has a class of its own */
    for (uint32_t a = 0; weir_features[a] != NULL; a++)
        for (uint32_t b = 0; weir_features[b] != NULL; b++)
            if (a != b && w->on[a] && w->on[b] && excludes(weir_features[a], weir_features[b]))
                part(w, a, b);
    settle_rpm(w);
    settle_lanes(w);
    w->classes = 2 + gen_below(&w->g, whole_has(w, "lanes") ? 3 : WEIR_CLASSES_MAX - 1);
    if (needs_classes(w))
        w->classes = WEIR_CLASSES_MAX - gen_below(&w->g, 2);
    if (!whole_has(w, "priorities"))
        w->classes = 1;
    for (uint32_t i = 0; weir_features[i] != NULL; i++)
        if (w->on[i] && weir_features[i]->when == WEIR_WHEN_COUPLED)
            w->g.nic = GEN_NIC_PULL;
    telemetry = whole_has(w, "int");
    w->into_acks = telemetry && gen_one_in(&w->g, 2) && w->protocol->credit == NULL; /* which has no ACKs */
    if (is_needed(w, &weir_int_feature))
        w->into_acks = (w->needs & WEIR_NEED_ACK_INT) != 0;
    w->quantised = telemetry && (gen_one_in(&w->g, 3) || whole_preset_says(w, "int: quantised"));
    w->weights = ((w->needs & WEIR_NEED_WEIGHTS) != 0 && !gen_one_in(&w->g, 3)) || whole_has(w, "wrr");
}

/* --- one row each --- */

static void put_ecn(struct whole *w)
{
    gen_put_ecn(&w->g);
    gen_put(&w->g, gen_one_in(&w->g, 4) ? ", scale: rate}" : "}");
}

static void put_codel(struct whole *w)
{
    static const char *const places[] = { "switches", "nics", "all" };
    struct gen *g = &w->g;
    uint32_t target_ns = 200 + gen_below(g, 20000), more_ns = gen_below(g, 100000), at = gen_below(g, 3);
    gen_put(g, ", codel: {variant: %s, target: %" PRIu32 " ns, interval: %" PRIu32 " ns, at: %s}",
            gen_one_in(g, 2) ? "p4" : "rfc8289", target_ns, target_ns + more_ns, places[at]);
}

/* Few cells, so that flows meet in them, and expiries of about a round trip. */
static void put_rpm(struct whole *w)
{
    struct gen *g = &w->g;
    uint32_t entries = 1 + gen_below(g, 1u << gen_below(g, 12)), expiry_ns = 1 + gen_below(g, 1u << gen_below(g, 20));
    bool per_port = gen_one_in(g, 3), bit = gen_one_in(g, 3);
    gen_put(g, ", rpm: {cells: %s, entries: %" PRIu32 ", counter: %s", per_port ? "port" : "flow", entries,
            bit ? "bit" : "8 bit");
    if (gen_one_in(g, 2))
        gen_put(g, ", expiry: %" PRIu32 " ns", expiry_ns);
    gen_put(g, "}");
}

static bool is_tree(const struct gen *g)
{
    return g->kind == WEIR_STAR || g->kind == WEIR_CHAIN || g->kind == WEIR_DUMBBELL || g->one_path;
}

/* Thresholds of a packet or none, and small tables. Not where there is one path, and never above where marking may begin. */
static void put_deflect(struct whole *w)
{
    struct gen *g = &w->g;
    uint32_t bytes = gen_below(g, 1900), entries = gen_below(g, 10), tokens = gen_below(g, WEIR_PKT_TOKENS_MAX + 1);
    uint32_t short_kb = gen_one_in(g, 2) ? 4 + gen_below(g, 30) : 1000, timeout_us = 1 + gen_below(g, 200);
    w->tokens = tokens;
    if (is_tree(g))
        return;
    gen_put(g, ", deflect: {threshold: %" PRIu32 " B, entries: %" PRIu32 ", tokens: %" PRIu32 ", short: %" PRIu32 " KB",
            bytes, entries, tokens, short_kb);
    if (gen_one_in(g, 4))
        gen_put(g, ", itself: true");
    if (!whole_has(w, "lanes") && gen_one_in(g, 4))
        gen_put(g, ", key: message");
    if (gen_one_in(g, 4))
        gen_put(g, ", hash: new");
    if (gen_one_in(g, 4))
        gen_put(g, ", last_hop: true");
    if (gen_one_in(g, 3))
        gen_put(g, ", timeout: %" PRIu32 " us", timeout_us);
    w->escapes = whole_has(w, "lanes") && gen_one_in(g, 3);
    gen_put(g, "%s}", w->escapes ? ", escape: paused" : "");
}

/* The memory of a switch is drawn with PFC where that is on. */
static void put_shared_buffer(struct whole *w)
{
    struct gen *g = &w->g;
    if (!whole_has(w, "pfc") && gen_one_in(g, 2)) {
        uint32_t kb = 5 + gen_below(g, 400), ones = gen_below(g, 4), tenths = 1 + gen_below(g, 9);
        gen_put(g, ", buffer: %" PRIu32 " KB, alpha: %" PRIu32 ".%" PRIu32, kb, ones, tenths);
        gen_put_port_buffer(g);
    } else {
        gen_put(g, ", port_buffer: %" PRIu32 " KB", 5 + gen_below(g, 100));
    }
}

static void put_priorities(struct whole *w)
{
    gen_put(&w->g, ", priorities: %" PRIu32, w->classes);
}

/* As many as there are tokens and one, if a port has room for them, or two. */
static void put_lanes(struct whole *w)
{
    struct gen *g = &w->g;
    bool room = w->tokens > 0 && w->classes + w->tokens <= WEIR_CLASSES_MAX, two = gen_one_in(g, 4);
    if (is_tree(g))
        return;
    w->lanes = room && !two && !w->escapes ? w->tokens + 1 : 2;
    gen_put(g, ", lanes: %" PRIu32, w->lanes);
}

/* Where the protocol needs telemetry, it is on without the section, too. */
static void put_int(struct whole *w)
{
    struct gen *g = &w->g;
    bool needed = is_needed(w, &weir_int_feature);
    if (needed && gen_one_in(g, 3))
        return;
    gen_put(g, ", int: {mode: %s", w->into_acks ? "ack" : "data");
    if (!needed)
        gen_put(g, ", format: %s", w->quantised ? "quantised" : "exact");
    if (!needed && w->quantised && gen_one_in(g, 2))
        gen_put(g, ", multi: %" PRIu32, 1 + gen_below(g, 8));
    if (w->into_acks && gen_one_in(g, 2))
        gen_put(g, ", period: %" PRIu32 " ns", 1 + gen_below(g, 5000));
    gen_put(g, "}");
}

static void put_maxqd(struct whole *w)
{
    static const char *const places[] = { "switches", "nics", "all" };
    struct gen *g = &w->g;
    /* a field that holds the 40 us of Soze's longest targets */
    uint32_t unit_ps = 611 + gen_below(g, 1u << gen_below(g, 16)), filter_ns = gen_below(g, 30000),
             at = gen_below(g, 3);
    if (gen_one_in(g, 3))
        return;
    gen_put(g, ", maxqd: {unit: %" PRIu32 " ps, filter: %" PRIu32 " ns, at: %s}", unit_ps,
            gen_one_in(g, 4) ? 0 : filter_ns, g->nic == GEN_NIC_UNLIMITED ? places[at] : places[0]);
}

/* Drains from half of the link's rate, virtual queues that are never at their end and some that often are. */
static void put_phantom(struct whole *w)
{
    struct gen *g = &w->g;
    uint32_t rho = 500 + gen_below(g, 500), rho_min = 500 + gen_below(g, rho - 499), slack = gen_below(g, 30000);
    uint32_t cap_us = 45 + gen_below(g, 200); /* k + p are 40 us at most */
    uint64_t unit_ps = (cap_us * UINT64_C(1000000) + w->rtt_ns * 1000) / 65535 + 1 + gen_below(g, 5000);
    if (w->phantom_acks && gen_one_in(g, 4))
        return;
    gen_put(g, ", phantom: {mode: %s", !w->phantom_acks ? "data" : gen_one_in(g, 2) ? "ack" : "auto");
    if (!gen_one_in(g, 4))
        gen_put(g, ", rho: 0.%" PRIu32 ", rho_min: 0.%" PRIu32 ", slack: %" PRIu32 " B", rho, rho_min, slack);
    if (w->p_rtts == 0 && !whole_preset_says(w, "signal: phantom") && gen_one_in(g, 2))
        gen_put(g, ", cap: %" PRIu32 " us, unit: %" PRIu64 " ps", cap_us, unit_ps);
    else if (gen_one_in(g, 2))
        gen_put(g, ", queue_max: %" PRIu32 " ns", 1 + gen_below(g, 200000));
    gen_put(g, "}");
}

/* Gains beyond those that are stable, floors that matter, many steps in a round trip. */
static void put_rcp(struct whole *w)
{
    struct gen *g = &w->g;
    uint32_t alpha = gen_below(g, 2000), beta = gen_below(g, 2000), gamma = 1 + gen_below(g, 1000);
    uint32_t floor = 1 + gen_below(g, 1u << gen_below(g, 12)), init = 1 + gen_below(g, 1000);
    uint32_t period_ns = 100 + gen_below(g, 900);
    if (gen_one_in(g, 4))
        return;
    gen_put(g, ", rcp: {floor: 0.%03" PRIu32 ", init_rate: %" PRIu32 ".%" PRIu32 "%%", floor % 1000, init / 10,
            init % 10);
    if (gen_one_in(g, 2))
        gen_put(g, ", alpha: %" PRIu32 ".%03" PRIu32 ", beta: %" PRIu32 ".%03" PRIu32, alpha / 1000, alpha % 1000,
                beta / 1000, beta % 1000);
    if (gen_one_in(g, 3))
        gen_put(g, ", gamma: %" PRIu32 ".%" PRIu32 "%%", gamma / 10, gamma % 10);
    if (gen_one_in(g, 2))
        gen_put(g, ", period: %" PRIu32 " ns", period_ns);
    gen_put(g, "}");
}

/* Queues of a credit or more, and buckets of less than one to several. */
static void put_credit_gate(struct whole *w)
{
    struct gen *g = &w->g;
    uint32_t credit = 40 + gen_below(g, 160), data = 1 + gen_below(g, 4000), depth = 1 + gen_below(g, 500);
    uint32_t queue = 200 + gen_below(g, 1000);
    if (gen_one_in(g, 4))
        return;
    gen_put(g,
            ", credit_gate: {credit: %" PRIu32 " B, data: %" PRIu32 " B, depth: %" PRIu32 " B, queue: %" PRIu32 " B}",
            credit, data, depth, queue);
}

static void put_wrr(struct whole *w)
{
    struct gen *g = &w->g;
    uint32_t groups = 1 + gen_below(g, WEIR_GROUPS_MAX);
    if (gen_one_in(g, 2)) {
        gen_put(g, ", queues: per-flow");
        return;
    }
    gen_put(g, ", queues: {kind: groups, groups: %" PRIu32 ", weights: [", groups);
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t most = 1u << gen_below(g, 8);
        gen_put(g, "%s%" PRIu32, i > 0 ? ", " : "", 1 + gen_below(g, most));
    }
    gen_put(g, "]}");
}

static void put_loss(struct whole *w)
{
    gen_put(&w->g, ", loss: 0.%02" PRIu32 "%%", 1 + gen_below(&w->g, 90));
}

/* Low thresholds, so that much is paused, and headroom that is often too small. Set-up wants a buffer for the headroom and threshold of
 * every port and class: sum_bytes at the switch with most ports. */
static void put_pfc(struct whole *w)
{
    struct gen *g = &w->g;
    bool fixed = !gen_one_in(g, 3), is_static = gen_one_in(g, 2), all = g->data_class == 0 || gen_one_in(g, 3);
    uint64_t headroom = gen_below(g, 20000), xoff = 1 + gen_below(g, gen_one_in(g, 2) ? 10000 : 100000);
    uint64_t reserve = gen_below(g, 8192), sum_bytes, more = 10000 + gen_below(g, 400000);
    uint32_t shift = gen_below(g, 6), resume = gen_below(g, 4096);
    gen_put(g, ", pfc: {kind: %s", is_static ? "static" : "dynamic");
    if (all || gen_one_in(g, 3))
        gen_put(g, ", classes: %s", all ? "all" : "data");
    if (fixed)
        gen_put(g, ", headroom: %" PRIu64 " B", headroom);
    if (is_static)
        gen_put(g, ", xoff: %" PRIu64 " B", xoff);
    else
        gen_put(g, ", alpha_shift: %" PRIu32 ", reserve: %" PRIu64 " B, resume_offset: %" PRIu32 " B", shift, reserve,
                resume);
    if (is_static && gen_one_in(g, 3)) /* not 0 */
        gen_put(g, ", xon: %" PRIu64 " B", 1 + weir_rng_next(&g->rng) % xoff);
    if (gen_one_in(g, 3))
        gen_put(g, ", storm: %" PRIu32 " us", 1 + gen_below(g, 50));
    gen_put(g, "}");
    sum_bytes = g->ports_max * (uint64_t)(w->classes + w->lanes) * (headroom + (is_static ? xoff : reserve));
    if (fixed && !gen_one_in(g, 4))
        gen_put(g, ", buffer: %" PRIu64 " B", sum_bytes + more);
}

/* On without the key, too. */
static void put_fair_rate(struct whole *w)
{
    if (gen_one_in(&w->g, 3))
        gen_put(&w->g, ", fair_rate: auto");
}

/* Cables have names only when the network is known: generate_whole.c writes them last. */
static void put_nothing(struct whole *w)
{
    (void)w;
}

/* --- the section --- */

static const struct writer {
    const struct weir_feature *row;
    void (*put)(struct whole *w);
} writers[] = {
    { &weir_ecn_feature, put_ecn },
    { &weir_codel_feature, put_codel },
    { &weir_rpm_feature, put_rpm },
    { &weir_deflect_feature, put_deflect },
    { &weir_buffer_feature, put_shared_buffer },
    { &weir_priorities_feature, put_priorities },
    { &weir_lanes_feature, put_lanes },
    { &weir_pfc_feature, put_pfc },
    { &weir_int_feature, put_int },
    { &weir_fair_rate_feature, put_fair_rate },
    { &weir_maxqd_feature, put_maxqd },
    { &weir_phantom_feature, put_phantom },
    { &weir_rcp_feature, put_rcp },
    { &weir_credit_gate_feature, put_credit_gate },
    { &weir_wrr_feature, put_wrr },
    { &weir_loss_feature, put_loss },
    { &weir_failures_feature, put_nothing },
    { &weir_delay_variation_feature, put_nothing },
    { &weir_cables_feature, put_nothing },
};

/* One of the row's examples, as far as it is about its own section or about keys of `fabric` itself. */
static void put_example(struct whole *w, const struct weir_feature *row)
{
    struct gen *g = &w->g;
    size_t section = row->section != NULL ? strlen(row->section) : 0;
    const char *const *line;
    uint32_t count = 0;
    bool open = false;
    while (row->examples != NULL && row->examples[count].name != NULL)
        count++;
    if (count == 0)
        return;
    line = row->examples[gen_below(g, count)].values;
    for (uint32_t i = 0; section > 0 && line[i] != NULL; i++)
        if (strncmp(line[i], row->section, section) == 0 && line[i][section] == '.') {
            gen_put(g, open ? ", %s" : ", %s: {%s", open ? line[i] + section + 1 : row->section, line[i] + section + 1);
            open = true;
        }
    gen_put(g, open ? "}" : "");
    for (uint32_t i = 0; line[i] != NULL; i++)
        if (strcspn(line[i], ".") > strcspn(line[i], ":"))
            gen_put(g, ", %s", line[i]);
}

static void put_row(struct whole *w, const struct weir_feature *row)
{
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        if (writers[i].row != row)
            continue;
        writers[i].put(w);
        return;
    }
    put_example(w, row);
}

/* Telemetry and deflection exclude spraying, deflection excludes trees; telemetry and virtual queues in ACKs need symmetric paths, and so
 * does the gate for credit. Trees have no metric. */
static void put_routing(struct whole *w)
{
    static const char *const modes[] = { "trees", "symmetric", "ecmp", "spray" };
    struct gen *g = &w->g;
    bool symmetric = w->into_acks || w->phantom_acks || (whole_has(w, "credit-gate") && !is_tree(g)),
         deflects = whole_has(w, "deflect");
    uint32_t first = deflects, last = symmetric ? 1 : whole_has(w, "int") || deflects ? 2 : 3;
    uint32_t mode = first + gen_below(g, last - first + 1);
    if (gen_one_in(g, 3))
        gen_put(g, "fabric: {routing: {mode: %s, metric: %s}", modes[mode],
                mode != 0 && gen_one_in(g, 2) ? "delay" : "hops");
    else
        gen_put(g, "fabric: {routing: %s", modes[mode]);
}

void whole_put_fabric(struct whole *w)
{
    struct gen *g = &w->g;
    put_routing(w);
    for (uint32_t i = 0; weir_features[i] != NULL; i++)
        if (w->on[i])
            put_row(w, weir_features[i]);
    if (!whole_has(w, "priorities") && whole_preset_says(w, "fabric.priorities"))
        gen_put(g, ", priorities: 1");
    if (!whole_has(w, "shared-buffer") && !whole_has(w, "pfc") && gen_one_in(g, 4))
        gen_put(g, ", buffer: %" PRIu32 " KB", 5 + gen_below(g, 400));
}
