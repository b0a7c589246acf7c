/* src/simulator/port/port_kinds.c - the kinds of ports that have an instance of the port body of their own: a row each.
 * The last row serves every other kind. To give a kind a row, add a line to PORT_KINDS. `weir run --check=general` runs
 * a scenario with the last row alone; bench/instructions shows how many instructions a row saves. */
#include "port/port_body.h"
#include "port/visit.h"

/* clang-format off */
#define PORT_KINDS(X)                                                           \
    X(fifo,         .serve = SIM_SERVE_FIFO)                                    \
    X(lanes,        .serve = SIM_SERVE_LANES)                                   \
    X(starts,       .serve = SIM_SERVE_FIFO, .start = true)                     \
    X(joins,        .serve = SIM_SERVE_FIFO, .join = true)                      \
    X(joins_starts, .serve = SIM_SERVE_FIFO, .join = true, .start = true)       \
    X(memory,       .serve = SIM_SERVE_FIFO, .memory = true)                    \
    X(fraction,     .serve = SIM_SERVE_FIFO, .join = true, .fraction = true)    \
    X(classes,      .serve = SIM_SERVE_QUEUE)                                   \
    X(gated,        .serve = SIM_SERVE_QUEUE, .gate = true)                     \
    X(dequeue,      .serve = SIM_SERVE_QUEUE, .dequeue = true)                  \
    X(dequeue_join, .serve = SIM_SERVE_QUEUE, .dequeue = true, .join = true)    \
    X(nic_starts,   .serve = SIM_SERVE_PULL, .start = true)                     \
    X(nic_fraction, .serve = SIM_SERVE_PULL, .fraction = true)
/* clang-format on */

/* Tests whether no later key is of the same instant: the key after *key is of another instant, or is end. */
static inline bool key_is_alone(const uint64_t *key, const uint64_t *end)
{
    return key + 1 == end || key[1] >> SIM_KEY_TIME_SHIFT != key[0] >> SIM_KEY_TIME_SHIFT;
}

/* Forwards the arrivals of key[0] up to end[-1] in order, at a switch whose ports are all of kind k. Values that every
 * packet needs are in local variables: the compiler would load fields again after each store into a packet. */
SIM_COPIED static inline void forward(struct sim_thread *th, struct sim_switch *sw, const uint64_t *key,
                                      const uint64_t *end, uint64_t start_ps, bool measuring, struct sim_port_kind k)
{
    struct sim_link *out = &th->engine->link[sw->first_out];
    struct weir_pkt *const *arrived = th->arrived;
    bool track = sw->track_sum;
    for (; key < end; key++) {
        const struct weir_pkt *pkt = arrived[sim_key_arrival(*key)];
        uint64_t now_ps = start_ps + (*key >> SIM_KEY_TIME_SHIFT);
        struct sim_link *link = &out[sim_key_port(*key)];
        bool alone = k.serve == SIM_SERVE_QUEUE && key_is_alone(key, end);
        if (!port_put(th, link, sw, pkt, now_ps, alone, measuring, false, k))
            continue;
        if (track)
            sim_watch_sum(th, sw, pkt->wire_bytes, now_ps);
    }
}

/* Defines the three functions of a row for one kind, which is a constant in them: put_NAME, forward_NAME,
 * decide_NAME. */
#define PORT_INSTANCE(name, ...)                                                                                       \
    static                                                                                                             \
        __attribute__((noinline)) bool put_##name(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw, \
                                                  const struct weir_pkt *pkt, uint64_t now_ps, bool alone)             \
    {                                                                                                                  \
        return port_put(th, link, sw, pkt, now_ps, alone, th->counting, false, (struct sim_port_kind){ __VA_ARGS__ }); \
    }                                                                                                                  \
    static __attribute__((noinline)) void forward_##name(struct sim_thread *th, struct sim_switch *sw,                 \
                                                         const uint64_t *key, const uint64_t *end, uint64_t start_ps)  \
    {                                                                                                                  \
        if (th->counting)                                                                                              \
            forward(th, sw, key, end, start_ps, true, (struct sim_port_kind){ __VA_ARGS__ });                          \
        else                                                                                                           \
            forward(th, sw, key, end, start_ps, false, (struct sim_port_kind){ __VA_ARGS__ });                         \
    }                                                                                                                  \
    static __attribute__((noinline))                                                                                   \
    uint64_t decide_##name(struct sim_thread *th, struct sim_link *link, uint64_t end_ps)                              \
    {                                                                                                                  \
        return port_decide(th, link, end_ps, (struct sim_port_kind){ __VA_ARGS__ });                                   \
    }
PORT_KINDS(PORT_INSTANCE)

/* ---- the general row: in its functions the kind is a variable ---- */

static __attribute__((noinline)) bool put_any(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw,
                                              const struct weir_pkt *pkt, uint64_t now_ps, bool alone)
{
    return port_put(th, link, sw, pkt, now_ps, alone, th->counting, false, link->kind);
}

static __attribute__((noinline)) uint64_t decide_any(struct sim_thread *th, struct sim_link *link, uint64_t end_ps)
{
    return port_decide(th, link, end_ps, link->kind);
}

/* Forwards arrivals at a switch whose ports have different rows, or the general row: each packet by the row of its
 * port. */
static __attribute__((noinline)) void forward_any(struct sim_thread *th, struct sim_switch *sw, const uint64_t *key,
                                                  const uint64_t *end, uint64_t start_ps)
{
    struct sim_link *out = &th->engine->link[sw->first_out];
    for (; key < end; key++) {
        const struct weir_pkt *pkt = th->arrived[sim_key_arrival(*key)];
        uint64_t now_ps = start_ps + (*key >> SIM_KEY_TIME_SHIFT);
        struct sim_link *link = &out[sim_key_port(*key)];
        if (sim_port_put(th, link, sw, pkt, now_ps, key_is_alone(key, end)) && sw->track_sum)
            sim_watch_sum(th, sw, pkt->wire_bytes, now_ps);
    }
}

#define PORT_ROW(name, ...) { { __VA_ARGS__ }, put_##name, forward_##name, decide_##name },
const struct sim_port_row weir_sim_port_rows[] = { PORT_KINDS(PORT_ROW){ { 0 }, put_any, forward_any, decide_any } };

enum { ROW_ANY = sizeof(weir_sim_port_rows) / sizeof(weir_sim_port_rows[0]) - 1 };

struct sim_port_kind weir_sim_port_kind(const struct weir_model *m, const struct weir_link *link,
                                        const struct weir_chain *chain, bool cable, bool tap)
{
    bool host = link->src < m->topo->host_count, waits;
    uint64_t bps = host ? weir_host_nic_bps(&m->host.params, link->rate_bps) : link->rate_bps;
    struct sim_port_kind k = {
        .start = chain->start_count > 0, .fraction = weir_tx_clock_of(bps).rem_num != 0, .cable = cable, .tap = tap
    };
    if (host && m->host.params.nic_queue == WEIR_NIC_PULL) {
        k.serve = SIM_SERVE_PULL;
        return k;
    }
    k.gate = chain->gate.classes != 0;
    k.dequeue = chain->dequeue_count > 0;
    k.join = chain->join_count > 0 && (!chain->is_threshold || k.fraction || chain->mark_count > 0 || k.gate);
    if (sim_is_coupled(m, link->src)) {
        WEIR_ASSERT(!k.gate);
        k.serve = SIM_SERVE_STEPS;
        return k;
    }
    k.memory = (!host && weir_model_memory_bytes(m, link->src) != UINT64_MAX) || chain->admit_count > 0;
    waits = m->classes > 1 || k.cable || k.dequeue || k.gate;
    if (m->classes == SIM_LANES && !host && sim_kind_is_plain(k))
        k.serve = SIM_SERVE_LANES;
    else
        k.serve = waits ? SIM_SERVE_QUEUE : SIM_SERVE_FIFO;
    return k;
}

uint32_t weir_sim_port_row(struct sim_port_kind kind, bool general)
{
    uint32_t i = general ? ROW_ANY : 0;
    while (i < ROW_ANY && !sim_kind_is(weir_sim_port_rows[i].kind, kind))
        i++;
    return i;
}

void weir_sim_ports_common(struct sim_switch *sw, const struct sim_link *out)
{
    sw->row = sw->out_count > 0 ? out[0].row : ROW_ANY;
    sw->by_time = true;
    sw->counted = true;
    sw->waits = sw->cables = false;
    for (uint32_t i = 0; i < sw->out_count; i++) {
        WEIR_ASSERT(out[i].row <= ROW_ANY);
        sw->row = out[i].row == sw->row ? sw->row : ROW_ANY;
        sw->by_time = sw->by_time && sim_kind_is_time(out[i].kind);
        sw->counted = sw->counted && out[i].kind.serve == SIM_SERVE_QUEUE && sim_kind_is_counted(out[i].kind);
        sw->cables = sw->cables || (out[i].kind.serve == SIM_SERVE_QUEUE && out[i].kind.cable);
        sw->waits = sw->waits || out[i].kind.serve != SIM_SERVE_FIFO;
    }
}
