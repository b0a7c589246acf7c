/* src/transport/bpf/switch.h - what the programs of a software switch and its loader share: names, limits, and the
 * values of its BPF maps. */
#ifndef WEIR_BPF_SWITCH_H
#define WEIR_BPF_SWITCH_H
#include "bpf/switch_hist.h"
#include "core/math.h"
#include "features/codel/codel.h"
#include "features/ecn/ecn_core.h"
#include "features/maxqd/maxqd.h"
#include "features/rpm/rpm.h"

#define WEIR_SWITCH_PORTS_MAX 32u
#define WEIR_SWITCH_ADDRESSES_MAX 4096u /* most IPv4 addresses that a switch knows */
#define WEIR_SWITCH_DEVICE 16u          /* bytes of a device's name, with the NUL: IFNAMSIZ */
#define WEIR_SWITCH_STAMP_BITS 6u       /* a stamp counts 64 ns: in 32 bits 275 s */

struct weir_switch_keys { /* map `keys`, one value */
    uint32_t port_count;  /* 2 .. WEIR_SWITCH_PORTS_MAX */
    uint32_t learns;      /* 1 = a source address belongs to the port that its frames come from */
    /* 1 = the feature is on */
    uint32_t ecn, codel, rpm, maxqd;
    uint32_t udp_port; /* of Weir's endpoints, in whose datagrams maxQD raises delays; 0 = none */
    uint32_t unused;
    struct weir_codel_model codel_model;
    struct weir_rpm_model rpm_model;
    struct weir_maxqd_model maxqd_model; /* without unit_ps: each field has its own */
};

struct weir_switch_port { /* map `ports`, by port */
    uint32_t device;      /* index of the network device towards the host */
    uint32_t queue;       /* of the device whose qdisc is the port's queue; its peer is `after` */
    uint32_t after;       /* .. at which frames arrive that have left the queue */
    uint32_t address;     /* of its host, network byte order; 0 = not given */
    struct weir_ecn_ramp ramp;
    uint64_t rate_bps, limit_bytes; /* of the queue, as qdisc tbf counts them */
    /* as the device was found: for the loader */
    uint32_t was_up, was_promiscuous, had_clsact, unused;
    char device_name[WEIR_SWITCH_DEVICE];
    char host[32];
};

struct weir_switch_state { /* map `states`, by port: of one processor at a time, which has set `busy` */
    uint32_t busy, unused;
    uint64_t qdisc; /* where the kernel has the queue: written by who joins it, read by who leaves it */
    struct weir_codel_queue codel;
    struct weir_maxqd_port maxqd;
};

struct weir_switch_counts { /* map `counts`, by port, one value per CPU */
    /* of frames from the port's host */
    uint64_t in_pkts, in_bytes;
    uint64_t ipv6;    /* dropped: IPv6 */
    uint64_t foreign; /* dropped: neither IPv4 nor ARP */
    uint64_t stray;   /* dropped: for a host at the port that they came from */
    uint64_t flooded; /* for all, or for an address that is at no known port */
    uint64_t refused; /* .. and the queue of the port that they leave by had no room for them */
    /* of frames to the port's host */
    uint64_t queue_max_bytes; /* most bytes that a frame found in the queue */
    uint64_t out_pkts, out_bytes;
    uint64_t unstamped;  /* dropped: frames that did not come through a port */
    uint64_t sojourn_ns; /* sum over the frames */
    uint64_t sojourn_max_ns;
    uint64_t first_event_ns; /* when the first frame was congested: marked, or counted by RPM; since boot, 0 = never */
    uint64_t marks;          /* CE set, by ECN, by CoDel, or by RPM forward */
    uint64_t codel_drops;    /* dropped by CoDel: without ECT */
    uint64_t raised;         /* TCP options whose delay was raised */
    uint64_t raised_datagrams; /* the same of datagrams of Weir's endpoints */
    uint64_t optionless;       /* TCP segments with payload without the option, while maxQD is on */
    uint64_t skipped;          /* frames of which CoDel and maxQD took no notice: another processor was at it */
    struct weir_rpm_port rpm;  /* without its cell: that is in the map `cells` */
    uint64_t bucket[WEIR_SWITCH_BUCKETS]; /* frames by sojourn time: switch_hist.h */
};
#endif
