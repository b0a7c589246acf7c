/* test/oracle/test_network.c - a network of plain switches does with what hosts sent what the engine did: the engine runs
 * a scenario with taps, what its hosts sent goes into the NICs of a network at the same picoseconds, and every packet
 * that leaves a switch, is dropped or arrives at a host must be the same, at the same time. */
#include "test/unit/weir_test.h"
#include "core/cause.h"
#include "core/rng.h"
#include "engine/sim.h"
#include "setup/setup.h"
#include "switch/network.h"
#include "test/oracle/cases.h"
#include "test/oracle/frames.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MAX = 1 << 16, PICKED = 8 /* one in so many */ };

struct seen { /* of one link: packets that left, were dropped or arrived, as a sum in any order */
    uint64_t rows, hash;
};

struct replay {
    struct weir_model *model;
    uint32_t hosts;
    uint64_t end_ps;              /* of the run, or when its last packet arrived */
    struct weir_packet_row *sent; /* by hosts, in order of time */
    size_t sents, capacity;
    struct seen *must, *is; /* by link */
    struct weir_switch_pool pool;
    struct weir_network *net;
    uint64_t pkts, drops, decided;
    struct frames *frames; /* hosts send frames; NULL = packets */
};

static bool run_all; /* as `./dev soak` wants; without it fewer */
static void *block[BLOCKS_MAX];
static uint32_t blocks;

static void *grow(void *ctx, size_t size)
{
    (void)ctx;
    assert_true(blocks < BLOCKS_MAX);
    block[blocks] = calloc(1, size + 64);
    return (void *)(((uintptr_t)block[blocks++] + 63) & ~(uintptr_t)63);
}

static const struct weir_mem mem = { .grow = grow };

static void add(struct seen *seen, const struct weir_packet_row *row)
{
    uint64_t word[6], hash = row->at_ps ^ weir_mix_u64(row->waited_ps) ^ (uint64_t)row->event << 56 ^
                             (uint64_t)row->is_control << 60 ^ (uint64_t)row->cause << 48;
    _Static_assert(sizeof(word) == sizeof(row->pkt), "a packet is six words");
    memcpy(word, &row->pkt, sizeof(word));
    for (uint32_t w = 0; w < 6; w++)
        hash = weir_mix_u64(hash ^ word[w]);
    seen->hash += hash;
    seen->rows++;
}

/* ---- what the engine did ---- */

static void keep(struct replay *r, const struct weir_packet_row *row)
{
    if (r->sents == r->capacity) {
        r->capacity = r->capacity == 0 ? 4096 : 2 * r->capacity;
        r->sent = realloc(r->sent, r->capacity * sizeof(*r->sent));
        assert_non_null(r->sent);
    }
    r->sent[r->sents++] = *row;
}

static int take_rows(void *ctx, const struct weir_packet_row *row, size_t count)
{
    struct replay *r = ctx;
    for (size_t i = 0; i < count; i++) {
        r->end_ps = row[i].at_ps + 1;
        bool of_host = r->model->topo->link[row[i].link].src < r->hosts;
        bool arrives = row[i].event == WEIR_PACKET_RECEIVED || row[i].event == WEIR_PACKET_REFUSED;
        if (of_host && (row[i].event == WEIR_PACKET_SENT || row[i].event == WEIR_PACKET_LOST))
            keep(r, &row[i]);
        else if (!of_host && !row[i].is_control && (!arrives || r->model->topo->link[row[i].link].dst < r->hosts))
            add(&r->must[row[i].link], &row[i]);
    }
    return 0;
}

/* ---- what the network does ---- */

static void note(struct replay *r, uint32_t link, struct weir_packet_row row)
{
    if (r->model->topo->link[link].src < r->hosts || row.at_ps >= r->end_ps)
        return;
    row.pkt.arrival_ps = 0;
    add(&r->is[link], &row);
}

static void on_sent(void *ctx, uint32_t link, const struct weir_switch_sent *s)
{
    if (!s->is_control)
        note(ctx, link,
             (struct weir_packet_row){ .at_ps = s->start_ps,
                                       .waited_ps = s->start_ps - s->pkt->pkt.arrival_ps,
                                       .pkt = s->pkt->pkt,
                                       .event = WEIR_PACKET_SENT });
}

static void on_deliver(void *ctx, uint32_t host, struct weir_switch_pkt *p)
{
    struct replay *r = ctx;
    uint32_t link = r->model->topo->in_link[r->model->topo->node[host].first_in];
    note(r, link, (struct weir_packet_row){ .at_ps = p->pkt.arrival_ps, .pkt = p->pkt, .event = WEIR_PACKET_RECEIVED });
    if (r->frames != NULL)
        frames_arrive(r->frames, p);
    weir_switch_pkt_give(&r->pool, p);
}

static void on_drop(void *ctx, uint32_t link, const struct weir_switch_drop *d)
{
    struct replay *r = ctx;
    bool lost = d->fate == WEIR_FATE_LOST;
    r->drops++;
    if (r->frames != NULL)
        frames_drop(r->frames, weir_switch_more((struct weir_switch_pkt *)(uintptr_t)d->pkt)->own);
    note(r, link,
         (struct weir_packet_row){ .at_ps = d->now_ps,
                                   .waited_ps = lost ? d->now_ps - d->pkt->pkt.arrival_ps : 0,
                                   .pkt = d->pkt->pkt,
                                   .cause = d->cause,
                                   .event = lost ? WEIR_PACKET_LOST : WEIR_PACKET_DROPPED });
}

static void on_decided(void *ctx, uint32_t link, enum weir_fate fate, uint32_t cause)
{
    struct replay *r = ctx;
    (void)link, (void)fate, (void)cause;
    r->decided++;
}

/* Sends what hosts sent, an instant after the other, and runs on to the end. */
static void replay(struct replay *r)
{
    for (size_t i = 0; i < r->sents; i++) {
        const struct weir_packet_row *row = &r->sent[i];
        struct weir_switch_pkt *p = weir_switch_pkt_take(&r->pool);
        assert_non_null(p);
        p->pkt = row->pkt;
        *weir_switch_more(p) = (struct weir_switch_more){ 0 };
        if (r->frames != NULL)
            p->pkt = frames_send(r->frames, &row->pkt, &weir_switch_more(p)->own);
        weir_network_send(r->net, row->at_ps, r->model->topo->link[row->link].src, p);
        r->pkts++;
        if (i + 1 == r->sents || r->sent[i + 1].at_ps > row->at_ps)
            weir_network_run(r->net, row->at_ps);
    }
    if (r->end_ps > r->sent[r->sents - 1].at_ps)
        weir_network_run(r->net, r->end_ps);
}

/* ---- one case ---- */

/* What a network of plain switches is not made for: cables that fail, and NICs with hooks of their own. */
static bool is_for_a_network(const char *text)
{
    return strstr(text, "events") == NULL && strstr(text, "nic_queue") == NULL && strstr(text, "where: all") == NULL &&
           strstr(text, "failures") == NULL;
}

/* text: NULL = the file `name`, with set_count overrides; frames: NULL = hosts send packets */
static bool agrees(const char *name, const char *text, const struct weir_override *set, uint32_t set_count,
                   struct frames *frames)
{
    static struct weir_scenario scn;
    static struct weir_setup su;
    struct replay r = { .model = &su.model, .frames = frames };
    struct weir_network_sink sink = {
        .deliver = on_deliver, .drop = on_drop, .decided = on_decided, .sent = on_sent, .ctx = &r
    };
    struct weir_err err;
    struct weir_routes routes;
    struct weir_result result;
    uint32_t different = 0;
    int failed = text == NULL ? weir_scenario_load(&scn, name, set, set_count, &err)
                              : weir_scenario_parse(&scn, "case.yaml", text, strlen(text), NULL, 0, &err);
    if (failed != 0 || weir_setup_init(&su, &scn, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    uint32_t links = su.topo.link_count;
    uint8_t *tap = malloc(links);
    r.hosts = su.topo.host_count;
    r.must = calloc(links, sizeof(*r.must));
    r.is = calloc(links, sizeof(*r.is));
    assert_true(tap != NULL && r.must != NULL && r.is != NULL);
    memset(tap, WEIR_TAP_SENT | WEIR_TAP_ARRIVED, links);
    struct weir_sim_options options = { .threads = 1, .packets = take_rows, .packets_ctx = &r, .tap = tap };
    if (weir_sim_run(&su.model, &options, &result, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    assert_int_equal(weir_routes_build(&routes, su.model.topo, su.model.routing, su.model.metric, su.model.seed, &err),
                     0);
    weir_switch_pool_init(&r.pool, &mem, 1 << 20, true);
    r.net = weir_network_init(&(struct weir_network_config){
        .model = &su.model, .routes = &routes, .pool = &r.pool, .sink = &sink, .mem = &mem });
    assert_non_null(r.net);
    if (frames != NULL)
        frames_begin(frames, &su, &mem);
    if (r.sents > 0)
        replay(&r);
    if (weir_network_broken(r.net) != NULL)
        fail_msg("%s: %s", name, weir_network_broken(r.net));
    for (uint32_t l = 0; l < links; l++)
        if (memcmp(&r.must[l], &r.is[l], sizeof(r.is[l])) != 0 && different++ < 5)
            (void)printf("    %s: link %" PRIu32 ": %" PRIu64 " rows, must be %" PRIu64 "\n", name, l, r.is[l].rows,
                         r.must[l].rows);
    (void)printf("%-60s %8" PRIu64 " packets, %6" PRIu64 " drops, %7" PRIu64 " decisions%s\n", name, r.pkts, r.drops,
                 r.decided, different > 0 ? "  DIFFERENT" : "");
    weir_result_free(&result);
    weir_routes_free(&routes);
    weir_setup_free(&su);
    weir_scenario_free(&scn);
    free(tap);
    free(r.must);
    free(r.is);
    free(r.sent);
    while (blocks > 0)
        free(block[--blocks]);
    return different == 0;
}

static void a_network_of_plain_switches_does_what_the_engine_did(void **state)
{
    uint32_t different = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (is_for_a_network(cases[i].text) && (run_all || i % PICKED == 0))
            different += !agrees(cases[i].name, cases[i].text, NULL, 0, NULL);
    assert_int_equal(different, 0);
}

/* Features that few of the picked cases have: the golden scenarios that are named for them. */
static void a_network_does_so_with_each_feature(void **state)
{
    static const char *const name[] = { "dart",  "dcqcn-pfc",   "deflect", "fncc",
                                        "lanes", "rcp",         "rpm",     "weighted-queues",
                                        "codel", "expresspass", "hpcc",    "priorities",
                                        "rocc",  "soze" };
    enum { ALL = sizeof(name) / sizeof(name[0]), QUICK = 8 };
    uint32_t different = 0;
    char file[64];
    (void)state;
    for (size_t i = 0; i < (run_all ? ALL : QUICK); i++) {
        (void)snprintf(file, sizeof(file), "test/golden/%s.yaml", name[i]);
        different += !agrees(file, NULL, NULL, 0, NULL);
    }
    different +=
        !agrees("frames that arrive later than the delay says",
                LEAF_SPINE DCTCP "fabric: {delay_variation: 200 ns}\n" TRAFFIC MIX("60%") RUN("100 us"), NULL, 0, NULL);
    assert_int_equal(different, 0);
}

/* The hosts of golden scenarios send frames: all that switches read and write of packets is in them. */
static void a_network_does_so_with_the_frames_of_hosts(void **state)
{
    uint32_t different = 0;
    (void)state;
    for (size_t i = 0; i < FRAMES_SCENARIOS; i++) {
        const struct frames_scenario *row = &frames_scenarios[i];
        struct frames_set set;
        struct frames frames;
        char file[64];
        (void)snprintf(file, sizeof(file), "test/golden/%s.yaml", row->name);
        frames_set_of(&set, row);
        different += !agrees(file, NULL, set.set, FRAMES_SETS, &frames);
        (void)printf("    %" PRIu64 " frames, %" PRIu64 " arrived, %" PRIu64 " packets without\n", frames.count,
                     frames.arrived, frames.unmade);
        assert_true(frames.arrived > 0);
        assert_int_equal(frames.lacks, 0);
        /* its credits are shorter than those of libweir */
        assert_true(frames.unmade == 0 || strcmp(row->name, "expresspass") == 0);
        frames_end(&frames);
    }
    assert_int_equal(different, 0);
}

/* test_network [--all] */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_network_does_so_with_each_feature),
                                        cmocka_unit_test(a_network_does_so_with_the_frames_of_hosts),
                                        cmocka_unit_test(a_network_of_plain_switches_does_what_the_engine_did) };
    run_all = argc > 1 && strcmp(argv[1], "--all") == 0;
    return cmocka_run_group_tests_name("oracle/network", tests, NULL, NULL);
}
