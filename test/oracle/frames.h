/* test/oracle/frames.h - packets of a run as Ethernet frames, for test_network.c: what a host sends is made a frame and
 * read; what arrives at a host is written into that frame and read again. Each time the packet must be the same. */
#ifndef WEIR_TEST_ORACLE_FRAMES_H
#define WEIR_TEST_ORACLE_FRAMES_H
#include "core/cc.h"
#include "core/math.h"
#include "core/mem.h"
#include "mapping/mapping.h"
#include "setup/setup.h"
#include "switch/pool.h"
#include <stdlib.h>
#include <string.h>

/* Golden scenarios whose hosts may send frames. Their framing has room for the headers of libweir, with an area in DATA
 * and ACKs, and for records where there are some. */
static const struct frames_scenario {
    const char *name, *header, *ack_wire, *more;
} frames_scenarios[] = {
    { "dart", "105", "134", "run.measure=400 us" },    { "dcqcn-pfc", "105", "134", "run.measure=300 us" },
    { "deflect", "105", "134", "run.measure=500 us" }, { "fncc", "105", "278", "run.measure=100 us" },
    { "lanes", "105", "134", "run.measure=500 us" },   { "rcp", "105", "134", "run.measure=2 ms" },
    { "rpm", "105", "134", "run.measure=200 us" },     { "weighted-queues", "105", "134", "run.seed=12" },
    { "codel", "105", "134", "run.measure=200 us" },   { "expresspass", "105", "134", "run.measure=200 us" },
    { "hpcc", "249", "134", "run.measure=100 us" },    { "rocc", "105", "134", "run.measure=300 us" },
    { "soze", "105", "134", "run.measure=200 us" },
};
enum { FRAMES_SCENARIOS = sizeof(frames_scenarios) / sizeof(frames_scenarios[0]), FRAMES_SETS = 6 };

struct frames_set { /* overrides of such a scenario */
    char header[64], ack_wire[64];
    struct weir_override set[FRAMES_SETS];
};

static inline void frames_set_of(struct frames_set *s, const struct frames_scenario *row)
{
    (void)snprintf(s->header, sizeof(s->header), "framing.header=%s B", row->header);
    (void)snprintf(s->ack_wire, sizeof(s->ack_wire), "framing.ack_wire=%s B", row->ack_wire);
    s->set[0] = (struct weir_override){ .text = "fabric.maxqd.unit=64 ns" };
    s->set[1] = (struct weir_override){ .text = "framing.gap=20 B" };
    s->set[2] = (struct weir_override){ .text = "framing.min_wire=84 B" };
    s->set[3] = (struct weir_override){ .text = s->header };
    s->set[4] = (struct weir_override){ .text = s->ack_wire };
    s->set[5] = (struct weir_override){ .text = row->more };
}

struct frames_kept { /* a frame in the network; its number, from 1, is weir_switch_more.own of its packet */
    struct weir_mapping_at at;
    uint8_t class_id; /* as its host sent it: a frame keeps that */
    bool echoes;      /* an ACK that returns records, which are no switch's */
    uint8_t hops;
    uint32_t length;
    unsigned char bytes[];
};

struct frames {
    struct weir_mapping map;
    uint32_t needs; /* of the law */
    bool stream, has_records, in_acks;
    uint32_t slots;
    struct frames_kept **kept;
    uint64_t count, room;
    uint64_t unmade, arrived, lacks; /* packets without a frame: control packets with a length of their own */
};

static inline struct weir_mapping_address frames_address(uint32_t host)
{
    host++;
    return (struct weir_mapping_address){ .bytes = { 10, (uint8_t)(host >> 16), (uint8_t)(host >> 8), (uint8_t)host },
                                          .version = 4 };
}

static inline void frames_begin(struct frames *f, const struct weir_setup *su, const struct weir_mem *mem)
{
    const struct weir_host_config *law = &su->law[0];
    struct weir_mapping_config cfg = { .rates = law->rates,
                                       .fields = { .qdelay_unit_ps = law->qdelay_unit_ps,
                                                   .records_max = su->model.features.records_max,
                                                   .weights = law->wrr,
                                                   .rates = law->rtt_unit_ps != 0 },
                                       .hosts = su->topo.host_count,
                                       .addresses = su->topo.host_count,
                                       .mtu_bytes = WEIR_MAPPING_MTU_MAX,
                                       .udp_port = { WEIR_MAPPING_PORT } };
    struct weir_err err;
    assert_int_equal(su->law_count, 1);
    *f = (struct frames){ .stream = law->cc != NULL, .has_records = cfg.fields.records_max > 0 };
    f->in_acks = law->cc != NULL && (law->cc->needs & WEIR_NEED_ACK_INT) != 0;
    f->slots = cfg.fields.records_max;
    assert_int_equal(weir_mapping_init(&f->map, &cfg, mem, &err), 0);
    for (uint32_t h = 0; h < cfg.hosts; h++) {
        struct weir_mapping_address address = frames_address(h);
        assert_int_equal(weir_mapping_add(&f->map, &address, h, &err), 0);
    }
}

static inline void frames_end(struct frames *f)
{
    for (uint64_t i = 0; i < f->count; i++)
        free(f->kept[i]);
    free(f->kept);
}

static inline uint64_t frames_keep(struct frames *f, struct frames_kept *kept)
{
    if (f->count == f->room) {
        f->room = f->room == 0 ? 1024 : 2 * f->room;
        f->kept = realloc(f->kept, f->room * sizeof(struct frames_kept *));
        assert_non_null(f->kept);
    }
    f->kept[f->count++] = kept;
    return f->count;
}

static inline void frames_drop(struct frames *f, uint64_t own)
{
    if (own == 0)
        return;
    free(f->kept[own - 1]);
    f->kept[own - 1] = NULL;
}

/* Gives a packet that was read the fields that no frame carries; it must then be the one that was sent. */
static inline void frames_compare(const struct frames *f, struct weir_pkt got, struct weir_pkt must)
{
    uint32_t carried = weir_wire_flags(weir_wire_type_of(must.kind, f->stream)) | WEIR_PKT_ECT;
    got.hash = must.hash;
    got.flags |= WEIR_PKT_FLAGS(must.flags & ~carried);
    assert_memory_equal(&got, &must, sizeof(got));
}

/* Makes the frame of a packet that a host sends, and reads it. @return the packet as the switch gets it; *own: number
 * of the frame, 0 = there is none */
static inline struct weir_pkt frames_send(struct frames *f, const struct weir_pkt *sent, uint64_t *own)
{
    static unsigned char bytes[WEIR_WIRE_MAX_BYTES];
    struct weir_pkt made = *sent, pkt;
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
    struct frames_kept *kept, head = { .class_id = (uint8_t)sent->class_id, .hops = sent->hops };
    bool of_records = sent->kind == (f->in_acks ? WEIR_PKT_ACK : WEIR_PKT_DATA);
    struct weir_mapping_form form = { .from = frames_address(sent->src),
                                      .to = frames_address(sent->dst),
                                      .counter = f->count + 1,
                                      .udp_port = WEIR_MAPPING_PORT,
                                      .shape = WEIR_SHAPE_WEIR,
                                      .area_kind =
                                          f->map.config.fields.rates ? WEIR_WIRE_AREA_RCP : WEIR_WIRE_AREA_64NS,
                                      .slots = f->has_records && of_records ? (uint8_t)f->slots : 0,
                                      .stream = f->stream };
    head.echoes = f->has_records && !of_records;
    if (head.echoes)
        made.hops = 0;
    head.length = weir_mapping_make(&f->map, &form, &made, NULL, bytes);
    *own = 0;
    if (head.length == 0) {
        f->unmade++;
        assert_true(sent->kind != WEIR_PKT_DATA && sent->kind != WEIR_PKT_ACK);
        return *sent;
    }
    assert_int_equal(weir_mapping_read(&f->map, sent->src, bytes, head.length, &pkt, hop, &head.at),
                     WEIR_MAPPING_PACKET);
    frames_compare(f, pkt, made);
    kept = malloc(sizeof(*kept) + head.length);
    assert_non_null(kept);
    *kept = head;
    memcpy(kept->bytes, bytes, head.length);
    *own = frames_keep(f, kept);
    return *sent;
}

/* Checks the record that a switch wrote: exact, but for less than a nanosecond and what saturates. */
static inline void frames_compare_record(const struct weir_telemetry *got, const struct weir_telemetry *must)
{
    assert_int_equal(got->rate_id, must->rate_id);
    assert_int_equal(got->queue_bytes, weir_min_u64(must->queue_bytes, (1u << 24) - 1));
    assert_int_equal(got->tx_low, must->tx_low);
    assert_in_range(must->ts_ps - got->ts_ps, 0, WEIR_PS_PER_NS - 1);
}

/* Writes a packet that arrives at its host into its frame, and reads that. */
static inline void frames_arrive(struct frames *f, struct weir_switch_pkt *p)
{
    const struct weir_switch_more *more = weir_switch_more(p);
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
    struct frames_kept *kept = more->own == 0 ? NULL : f->kept[more->own - 1];
    struct weir_pkt must = p->pkt, pkt;
    struct weir_mapping_at at;
    if (kept == NULL)
        return;
    if (kept->echoes)
        p->pkt.hops = 0;
    f->lacks += weir_mapping_write(&f->map, &kept->at, kept->bytes, &p->pkt, more->hop, p->pkt.arrival_ps);
    p->pkt.hops = must.hops;
    assert_int_equal(weir_mapping_read(&f->map, must.src, kept->bytes, kept->length, &pkt, hop, &at),
                     WEIR_MAPPING_PACKET);
    must.arrival_ps = 0;
    must.class_id = WEIR_PKT_CLASS(kept->class_id);
    must.stays = 0;
    if (kept->echoes)
        must.hops = 0;
    frames_compare(f, pkt, must);
    for (uint32_t i = 0; f->has_records && i < must.hops; i++)
        frames_compare_record(&hop[i], &more->hop[i]);
    f->arrived++;
    frames_drop(f, more->own);
}
#endif
