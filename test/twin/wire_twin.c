/* test/twin/wire_twin.c - see wire_twin.h. A packet has the number of its frame in the low 48 bits of weir_pkt.value,
 * which no switch reads. */
#include "test/twin/wire_twin.h"
#include "core/assert.h"
#include "core/math.h"
#include "core/rng.h"
#include "engine/sim.h"
#include "test/twin/engine_hosts.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 16 };
#define NUMBER_MASK ((UINT64_C(1) << 48) - 1)

struct came { /* a frame that is a packet */
    struct engine_packet sent;
    uint64_t value; /* of the packet, as read */
    const struct capture_frame *frame;
    struct weir_mapping_at at;
    struct weir_telemetry *hop;
};

struct must { /* what has left to a host, in order */
    const struct capture_frame **frame;
    uint32_t count, at;
};

struct playing {
    struct wire_twin *twin;
    struct weir_mapping mapping;
    struct came *came; /* by number, from 1 on */
    uint64_t cames, sprayed;
    struct must *must;
    void **block; /* of the mapping and of telemetry */
    size_t blocks;
};

static __attribute__((format(printf, 2, 3))) void differ(struct wire_twin *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (t->differences++ == 0)
        (void)vsnprintf(t->first, sizeof(t->first), format, args);
    va_end(args);
}

static void *take_memory(void *ctx, size_t size)
{
    struct playing *p = ctx;
    p->block = realloc(p->block, (p->blocks + 1) * sizeof(*p->block));
    WEIR_ASSERT(p->block != NULL);
    p->block[p->blocks] = aligned_alloc(64, (size + 127) / 64 * 64);
    WEIR_ASSERT(p->block[p->blocks] != NULL);
    memset(p->block[p->blocks], 0, size);
    return p->block[p->blocks++];
}

/* ---- what came ---- */

static int make_mapping(struct playing *p, struct weir_err *err)
{
    const struct wire_twin *t = p->twin;
    const struct weir_host_config *law = &t->setup->law[0];
    uint32_t hosts = t->setup->topo.host_count;
    struct weir_mapping_config cfg = { .rates = law->rates,
                                       .fields = { .qdelay_unit_ps = law->qdelay_unit_ps,
                                                   .records_max = t->setup->model.features.records_max,
                                                   .weights = law->wrr,
                                                   .rates = law->rtt_unit_ps != 0 },
                                       .hosts = hosts,
                                       .addresses = 16 * hosts + 1024,
                                       .mtu_bytes = t->mtu_bytes,
                                       .udp_port = { WEIR_MAPPING_PORT },
                                       .learns = t->learns };
    struct weir_mem mem = { .grow = take_memory, .ctx = p };
    int code;
    if (t->setup->scn->deployed != NULL)
        cfg.udp_port[0] = (uint16_t)t->setup->scn->deployed_config.udp_port;
    code = weir_mapping_init(&p->mapping, &cfg, &mem, err);
    for (uint32_t h = 0; h < t->address_count && code == 0; h++)
        code = weir_mapping_add(&p->mapping, &t->address[h], h, err);
    return code;
}

/* Takes a packet: it is sent by its host at its time. */
static void take_packet(struct playing *p, const struct capture_frame *f, const struct weir_pkt *pkt,
                        const struct weir_telemetry *hop, const struct weir_mapping_at *at)
{
    const struct weir_model *m = &p->twin->setup->model;
    struct came *c = &p->came[++p->cames];
    *c = (struct came){ .sent = { .pkt = *pkt, .at_ps = f->at_ps }, .value = pkt->value, .frame = f, .at = *at };
    if (m->routing == WEIR_ROUTE_SPRAY)
        c->sent.pkt.hash = (uint32_t)weir_rng_at(weir_rng_key(m->seed, f->host, WEIR_RNG_HOST_SPRAY, 0), p->sprayed++);
    c->sent.pkt.value = (pkt->value & ~NUMBER_MASK) | p->cames;
    if (p->mapping.config.fields.records_max > 0 && pkt->hops > 0) {
        c->hop = take_memory(p, pkt->hops * sizeof(*c->hop));
        memcpy(c->hop, hop, pkt->hops * sizeof(*c->hop));
        c->sent.hop = c->hop;
    }
    engine_hosts_send(f->host, &c->sent);
}

/* Checks that a flooded frame left at once to all other hosts. @return the frame after those */
static uint32_t check_flood(struct wire_twin *t, uint32_t i)
{
    const struct capture *c = t->capture;
    const struct capture_frame *from = &c->frame[i++];
    for (uint32_t h = 0; h < c->hosts; h++) {
        const struct capture_frame *f = &c->frame[i];
        if (h == from->host)
            continue;
        if (i < c->frames && f->host == h && f->at_ps == from->at_ps && f->event != WEIR_SOFT_CAME &&
            f->length == from->length && memcmp(f->bytes, from->bytes, f->length) == 0)
            i++;
        else
            differ(t, "a frame that host %" PRIu32 " sent to all at %" PRIu64 " ps did not leave to host %" PRIu32,
                   from->host, from->at_ps, h);
    }
    return i;
}

/* Takes a frame that came, with what the capture says at once about it. @return the frame after that */
static uint32_t take_frame(struct playing *p, uint32_t i)
{
    struct wire_twin *t = p->twin;
    const struct capture_frame *f = &t->capture->frame[i];
    const struct capture_frame *next = i + 1 < t->capture->frames ? f + 1 : NULL;
    static unsigned char bytes[1 << 16];
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
    struct weir_mapping_at at;
    struct weir_pkt pkt;
    enum weir_mapping_verdict verdict;
    WEIR_ASSERT(f->length <= sizeof(bytes));
    memcpy(bytes, f->bytes, f->length);
    t->came++;
    verdict = weir_mapping_read(&p->mapping, f->host, bytes, f->length, &pkt, hop, &at);
    if (verdict == WEIR_MAPPING_FLOOD) {
        t->flooded++;
        return check_flood(t, i);
    }
    if (verdict == WEIR_MAPPING_DROP) {
        t->refused++;
        return i + 1;
    }
    t->packets++;
    if (next != NULL && next->event == WEIR_SOFT_DROPPED && next->cause != WEIR_SOFT_RING) {
        t->no_room++;
        return i + 2;
    }
    memcpy(f->bytes, bytes, f->length); /* a checksum may have been completed */
    take_packet(p, f, &pkt, hop, &at);
    return i + 1;
}

static void take_all(struct playing *p)
{
    const struct capture *c = p->twin->capture;
    for (uint32_t i = 0; i < c->frames;) {
        const struct capture_frame *f = &c->frame[i];
        if (f->event == WEIR_SOFT_CAME) {
            i = take_frame(p, i);
            continue;
        }
        p->must[f->host].frame[p->must[f->host].count++] = f;
        i++;
    }
}

/* ---- what arrives ---- */

static void compare(struct playing *p, uint32_t host, uint64_t now_ps, const struct came *c, const unsigned char *bytes)
{
    struct must *m = &p->must[host];
    const struct capture_frame *f = m->at < m->count ? m->frame[m->at] : NULL;
    uint32_t length = c->frame->length;
    uint32_t same = 0;
    if (f == NULL) {
        differ(p->twin,
               "host %" PRIu32 " must get a frame of host %" PRIu32 " at %" PRIu64
               " ps, and nothing more has left to it",
               host, c->frame->host, now_ps);
        return;
    }
    m->at++;
    p->twin->left += f->event == WEIR_SOFT_LEFT;
    p->twin->ring += f->event == WEIR_SOFT_DROPPED;
    while (same < length && same < f->length && bytes[same] == f->bytes[same])
        same++;
    if (f->at_ps != now_ps)
        differ(p->twin,
               "frame %" PRIu32 " to host %" PRIu32 " has left at %" PRIu64 " ps, and must leave at %" PRIu64
               " ps (byte %" PRIu32 " of %" PRIu32 " is the first that differs)",
               m->at, host, f->at_ps, now_ps, same, length);
    else if (f->length != length || same < length)
        differ(p->twin,
               "frame %" PRIu32 " to host %" PRIu32 " at %" PRIu64 " ps: byte %" PRIu32 " of %" PRIu32 " differs",
               m->at, host, now_ps, same, length);
}

static void on_arrived(void *ctx, uint32_t host, uint64_t now_ps, const struct weir_pkt *pkt,
                       const struct weir_telemetry *hop)
{
    struct playing *p = ctx;
    uint64_t number = pkt->value & NUMBER_MASK;
    struct weir_pkt out = *pkt;
    struct came *c = number > 0 && number <= p->cames ? &p->came[number] : NULL;
    if (c != NULL && (c->sent.pkt.src != pkt->src || c->sent.pkt.dst != pkt->dst || c->sent.pkt.kind != pkt->kind))
        c = NULL;
    if (c == NULL) {
        if (pkt->kind != WEIR_PKT_NOTICE) /* of a switch, for which there is no frame */
            differ(p->twin, "host %" PRIu32 " gets a packet that nobody sent, at %" PRIu64 " ps", host, now_ps);
        return;
    }
    out.value = (pkt->value & ~NUMBER_MASK) | (c->value & NUMBER_MASK);
    p->twin->marked += (pkt->flags & ~c->sent.pkt.flags & (WEIR_PKT_CE | WEIR_PKT_ECE)) != 0;
    (void)weir_mapping_write(&p->mapping, &c->at, c->frame->bytes, &out, hop, now_ps);
    compare(p, host, now_ps, c, c->frame->bytes);
}

static void check_rest(struct playing *p)
{
    uint32_t hosts = p->twin->setup->topo.host_count;
    for (uint32_t h = 0; h < hosts; h++)
        if (p->must[h].at < p->must[h].count)
            differ(p->twin, "frame %" PRIu32 " to host %" PRIu32 " has left at %" PRIu64 " ps, and must not leave",
                   p->must[h].at + 1, h, p->must[h].frame[p->must[h].at]->at_ps);
}

/* ---- the run ---- */

static int run_engine(struct playing *p, struct weir_err *err)
{
    struct wire_twin *t = p->twin;
    struct weir_model model = t->setup->model;
    struct engine_hosts hosts = { .model = &model, .arrived = on_arrived, .ctx = p };
    const struct weir_sim_options options = { .threads = 1, .causes = true };
    int code;
    model.warmup_ps = 0;
    model.until_done = false;
    model.measure_ps = t->end_ps != 0 ? t->end_ps : t->capture->last_ps + 1;
    model.stall_ps = WEIR_NEVER;
    engine_hosts_begin(&hosts);
    take_all(p);
    code = weir_sim_run(&model, &options, &t->result, err);
    if (code == 0)
        check_rest(p);
    engine_hosts_end();
    t->inside = p->cames - t->left - t->ring;
    return code;
}

int wire_twin_run(struct wire_twin *t, struct weir_err *err)
{
    uint32_t hosts = t->setup->topo.host_count;
    struct playing p = { .twin = t,
                         .came = calloc(t->capture->frames + 1u, sizeof(*p.came)),
                         .must = calloc(hosts, sizeof(*p.must)) };
    int code;
    WEIR_ASSERT(p.came != NULL && p.must != NULL);
    for (uint32_t h = 0; h < hosts; h++) {
        p.must[h].frame = malloc((t->capture->frames + 1u) * sizeof(*p.must[h].frame));
        WEIR_ASSERT(p.must[h].frame != NULL);
    }
    if (t->capture->hosts != hosts)
        differ(t, "the capture has %" PRIu32 " hosts, and the scenario %" PRIu32, t->capture->hosts, hosts);
    code = make_mapping(&p, err);
    if (code == 0 && t->differences == 0)
        code = run_engine(&p, err);
    for (uint32_t h = 0; h < hosts; h++)
        free(p.must[h].frame);
    while (p.blocks > 0)
        free(p.block[--p.blocks]);
    free(p.block);
    free(p.must);
    free(p.came);
    return code;
}

void wire_twin_free(struct wire_twin *t)
{
    weir_result_free(&t->result);
}

int wire_twin_setup(struct weir_setup *setup, struct weir_scenario *scn, const char *path, struct weir_err *err)
{
    static const char traffic[] = "\ntraffic: [{kind: permutation, size: 1 KB}]\n";
    static char text[TEXT_MAX + sizeof(traffic)];
    FILE *file = fopen(path, "re");
    size_t length = file != NULL ? fread(text, 1, TEXT_MAX, file) : 0;
    int code;
    if (file == NULL || length == TEXT_MAX)
        code = weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: cannot be read", path);
    else
        code = weir_scenario_parse(scn, path, text, length, NULL, 0, err);
    if (file != NULL)
        (void)fclose(file);
    if (code != 0)
        return code;
    if (scn->traffic_count == 0) {
        memcpy(text + length, traffic, sizeof(traffic));
        weir_scenario_free(scn);
        code = weir_scenario_parse(scn, path, text, length + sizeof(traffic) - 1, NULL, 0, err);
    }
    if (code == 0 && (code = weir_setup_init_for_shares(setup, scn, err)) != 0) /* keys of hosts need not fit */
        weir_scenario_free(scn);
    return code;
}
