/* src/commands/soft/pauses.c - see pauses.h. */
#include "soft/pauses.h"
#include "core/assert.h"
#include "core/feature.h"
#include "core/hook_coupled.h"
#include "core/math.h"
#include <string.h>

enum { QUANTA_MAX = 65535, QUANTUM_BITS = 512, OPCODE_AT = 14, VECTOR_AT = 16, TIMES_AT = 18 };

/* Begins a frame: to the address that no bridge forwards, from one of nobody; MAC control, opcode of PFC. */
static const unsigned char head[VECTOR_AT] = { 0x01, 0x80, 0xc2, 0, 0,    1,    0x02, 'w',
                                               'e',  'i',  'r',  0, 0x88, 0x08, 0x01, 0x01 };

int soft_pauses_init(struct soft_pauses *p, const struct weir_setup *setup, struct weir_network *net,
                     struct weir_switch_pool *pool, const struct weir_mem *mem, struct weir_err *err)
{
    const struct weir_features *features = &setup->model.features;
    *p = (struct soft_pauses){ .topo = &setup->topo, .net = net, .pool = pool, .hosts = setup->topo.host_count };
    while (p->feature < features->count && strcmp(features->on[p->feature].row->name, "pfc") != 0)
        p->feature++;
    if (p->feature == features->count)
        return weir_fail(err, WEIR_E_CONFLICT, &setup->scn->where_fabric, "for example fabric: {pfc: static}",
                         "switch.pfc_frames: on, and no switch of this fabric has pfc");
    p->host = mem->grow(mem->ctx, p->hosts * sizeof(*p->host));
    if (p->host == NULL)
        return weir_fail_memory(err);
    for (uint32_t h = 0; h < p->hosts; h++)
        p->host[h] = (struct soft_pauses_host){
            .quantum_fs = weir_mul_div_u64(QUANTUM_BITS, 1000 * WEIR_PS_PER_S,
                                           setup->topo.link[setup->topo.node[h].first_out].rate_bps),
            .again_ps = WEIR_NEVER,
        };
    return 0;
}

static uint64_t quanta_ps(const struct soft_pauses_host *host, uint64_t quanta)
{
    return quanta * host->quantum_fs / 1000;
}

/* Sends a frame for classes of a host: those that are paused for the longest time, the others for none. */
static void send_frame(struct soft_pauses *p, uint32_t h, uint32_t classes)
{
    unsigned char bytes[SOFT_PAUSE_BYTES] = { 0 };
    struct soft_pauses_host *host = &p->host[h];
    memcpy(bytes, head, sizeof(head));
    bytes[VECTOR_AT + 1] = (unsigned char)classes;
    for (uint32_t c = 0; c < SOFT_PRIORITIES; c++)
        if ((classes & host->paused) >> c & 1)
            bytes[TIMES_AT + 2 * c] = bytes[TIMES_AT + 2 * c + 1] = 0xff;
    p->send(p->ctx, h, bytes);
}

void soft_pauses_sent(struct soft_pauses *p, uint32_t h, const struct weir_pkt *control, uint64_t now_ps)
{
    struct soft_pauses_host *host;
    uint32_t bit = 1u << control->class_id;
    if (p->host == NULL || control->msg != p->feature)
        return;
    WEIR_ASSERT(h < p->hosts && control->class_id < SOFT_PRIORITIES);
    host = &p->host[h];
    host->paused = (uint8_t)(control->flags == WEIR_CONTROL_PAUSE ? host->paused | bit : host->paused & ~bit);
    host->again_ps = host->paused != 0 ? now_ps + quanta_ps(host, QUANTA_MAX / 2) : WEIR_NEVER;
    send_frame(p, h, host->paused | bit);
}

/* Lets PFC at the port to a host know: the class may not be sent, or may again. */
static void close_class(struct soft_pauses *p, uint32_t h, uint32_t class_id, bool pause, uint64_t now_ps)
{
    struct weir_switch_pkt *frame = weir_switch_pkt_take(p->pool);
    if (frame == NULL) /* too many frames: a pause is missed, as one that is lost; the NIC says it again */
        return;
    frame->pkt = (struct weir_pkt){ .class_id = WEIR_PKT_CLASS(class_id),
                                    .flags = pause ? WEIR_CONTROL_PAUSE : WEIR_CONTROL_RESUME,
                                    .msg = p->feature };
    weir_network_control(p->net, now_ps, h, frame);
}

static uint32_t be16(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

bool soft_pauses_take(struct soft_pauses *p, uint32_t h, const unsigned char *bytes, uint32_t length, uint64_t now_ps)
{
    struct soft_pauses_host *host;
    uint32_t classes;
    if (p->host == NULL || length < TIMES_AT + 2 * SOFT_PRIORITIES || memcmp(bytes, head, 6) != 0 ||
        memcmp(bytes + 12, head + 12, VECTOR_AT - 12) != 0)
        return false;
    WEIR_ASSERT(h < p->hosts);
    host = &p->host[h];
    classes = be16(bytes + VECTOR_AT);
    for (uint32_t c = 0; c < SOFT_PRIORITIES; c++) {
        uint64_t quanta = be16(bytes + TIMES_AT + 2 * (size_t)c);
        if ((classes >> c & 1) == 0 || (quanta == 0 && host->until_ps[c] == 0))
            continue;
        if (quanta == 0 || host->until_ps[c] == 0)
            close_class(p, h, c, quanta > 0, now_ps);
        host->until_ps[c] = quanta > 0 ? now_ps + quanta_ps(host, quanta) : 0;
    }
    return true;
}

uint64_t soft_pauses_step(struct soft_pauses *p, uint64_t now_ps)
{
    uint64_t next_ps = WEIR_NEVER;
    for (uint32_t h = 0; p->host != NULL && h < p->hosts; h++) {
        struct soft_pauses_host *host = &p->host[h];
        for (uint32_t c = 0; c < SOFT_PRIORITIES; c++) {
            if (host->until_ps[c] != 0 && host->until_ps[c] <= now_ps) {
                host->until_ps[c] = 0;
                close_class(p, h, c, false, now_ps);
            }
            next_ps = host->until_ps[c] != 0 ? weir_min_u64(next_ps, host->until_ps[c]) : next_ps;
        }
        if (host->again_ps <= now_ps) {
            host->again_ps = now_ps + quanta_ps(host, QUANTA_MAX / 2);
            send_frame(p, h, host->paused);
        }
        next_ps = weir_min_u64(next_ps, host->again_ps);
    }
    return next_ps;
}
