/* src/sim/coupled.h - switches whose ports look at each other or take turns: with telemetry, PFC, RoCC or weighted round robin nothing
 * is concluded when a packet arrives. Such a switch runs a window of its own in the order of the model: one instant after the other, at each first what
 * ends, then what arrives, then decisions. */
#ifndef WEIR_SIM_COUPLED_H
#define WEIR_SIM_COUPLED_H
#include "core/rocc_cp_core.h"
#include "fabric/int_core.h"
#include "fabric/pfc_core.h"
#include "sim/beside.h"
#include "sim/ring.h"
#include "switch/turns.h"

struct coupled_flow;
#define COUPLED_NO_IN UINT32_MAX

/* What stands for a class where a port has turns: all but DATA is first. */
enum { COUPLED_FIRST, COUPLED_TURNS };

struct coupled_queued {  /* a packet that waits, and its records; room for the most a packet may carry */
    struct weir_pkt pkt; /* arrival_ps: when it joined */
    uint64_t tx_ps;
    uint32_t in; /* which in-link it came by, also the port that leads back there; COUPLED_NO_IN = the switch's own */
    uint32_t class_id;
    struct weir_telemetry record[];
};
_Static_assert(sizeof(struct coupled_queued) == 64, "one line, then the records");

struct coupled_arrival { /* what a packet taken came by, and with */
    const struct weir_telemetry *record;
    uint32_t in;
};

struct coupled_port { /* one out-port, and of the in-link beside it what PFC counts */
    uint64_t wire_ps; /* when the wire is free */
    struct weir_int_port telemetry;
    uint64_t held_bytes;     /* waiting or in transmission */
    struct weir_pkt sending; /* the frame in transmission; its end takes it off the accounts */
    uint32_t sending_in;
    uint32_t events_done; /* of its cable; with PFC */
    bool is_sending;
    uint64_t frame_ps;       /* of a control frame */
    struct sim_ring control; /* of uint32_t: control frames that wait */
    struct weir_pfc_in in;
    struct weir_pfc_account account[WEIR_CLASSES_MAX];
    struct weir_rocc_cp_config cp_config;
    struct weir_rocc_cp cp;
};

struct sim_coupled {
    struct coupled_port *port; /* out_count */
    uint64_t *armed_ps;        /* per port: when to look at it again; WEIR_NEVER = when something joins */
    uint64_t *dirty;           /* bit p: port p may have something to decide at this instant */
    uint64_t armed_min_ps;     /* not above any armed_ps */
    size_t queued_bytes;       /* of an entry of a class ring */
    bool dropped;              /* a decision dropped a packet just now */
    bool ends_matter;          /* a frame's end does something even if nothing waits */
    struct weir_pfc_pool pool;
    uint64_t step_ps;  /* RoCC's next; WEIR_NEVER without */
    uint64_t cable_ps; /* next event of a cable; WEIR_NEVER without PFC */
    /* arrivals of this window */
    struct coupled_arrival *arrival; /* as th->taken */
    uint32_t arrival_capacity;
    /* RoCC: which flows were told at this step */
    struct coupled_flow *flow;
    uint32_t flow_capacity, flow_round;
    uint64_t notices;
};

struct coupled_run { /* a visit */
    struct sim_thread *th;
    struct sim_switch *sw;
    struct sim_coupled *c;
    const struct weir_model *model;
    struct sim_link *out;
    struct weir_route_here here;
};

/* visit_coupled.c: a packet joins port p. entry: pkt, in, class_id; record: pkt.hops of them */
void weir_sim_coupled_put(const struct coupled_run *r, uint32_t p, struct coupled_queued *entry,
                          const struct weir_telemetry *record, uint64_t now_ps);

/* coupled_pfc.c */
/* May a packet of a lossless class be held? */
bool weir_sim_pfc_admits(const struct coupled_run *r, uint32_t in, uint32_t class_id, uint32_t bytes);
/* It is; perhaps its in-link must be paused now. */
void weir_sim_pfc_accept(const struct coupled_run *r, uint32_t in, uint32_t class_id, uint32_t bytes);
/* It left; perhaps its in-link may go on. */
void weir_sim_pfc_release(const struct coupled_run *r, uint32_t in, uint32_t class_id, uint32_t bytes);
/* Starts the first control frame that waits at the port. */
void weir_sim_pfc_send(const struct coupled_run *r, uint32_t p, uint64_t now_ps);
/* What cables do at now: one that goes down takes pauses with it, those obeyed and those sent. Sets c->cable_ps. */
void weir_sim_pfc_cables(const struct coupled_run *r, uint64_t now_ps);

/* coupled_rocc.c: the step of every port due at c->step_ps, and its notices. */
void weir_sim_rocc_step(const struct coupled_run *r, uint64_t now_ps);
/* Steps up to now that a switch slept through, because nothing was in its ports. */
void weir_sim_rocc_catch_up(const struct coupled_run *r, uint64_t now_ps);

static inline void coupled_touch(struct sim_coupled *c, uint32_t port)
{
    c->dirty[port / 64] |= UINT64_C(1) << port % 64;
}

static inline void coupled_arm(struct sim_coupled *c, uint32_t port, uint64_t at_ps)
{
    c->armed_ps[port] = at_ps;
    c->armed_min_ps = weir_min_u64(c->armed_min_ps, at_ps);
}

/* After a visit: tells the other end when the first control frame arrives that the link was given. */
static inline void coupled_wake(struct sim_thread *th, struct sim_link *link)
{
    struct sim_beside *beside = link->beside;
    uint64_t first_ps;
    if (beside == NULL || beside->control_told == beside->control_write)
        return;
    first_ps = beside->control_told->arrival_ps;
    beside->control_told = beside->control_write;
    sim_wake_at(th, link->wake, link->dst_group, first_ps);
}

/* b(now): stands still while the port is paused, its cable is down or a control frame is on the wire. */
static inline uint64_t coupled_backlog_ps(const struct sim_link *link, uint64_t now_ps)
{
    return link->port->waiting_ps + (link->busy_until_ps > now_ps ? link->busy_until_ps - now_ps : 0);
}
#endif
