/* src/transport/bpf/tcp.h - what a law in the kernel's TCP and its loader share: the values of its BPF maps. */
#ifndef WEIR_BPF_TCP_H
#define WEIR_BPF_TCP_H
#include "core/cc.h"
#include "core/path.h"

#define WEIR_TCP_CONFIG_BYTES 256u /* most bytes of a law's keys */

#define WEIR_TCP_BUILD_BYTES 40u

struct weir_tcp_keys {                     /* map `keys`, one value: may change while the law runs */
    uint64_t rate_bps;                     /* of the slowest port on the way, as the law's path has it */
    uint64_t netns_cookie;                 /* sockets of this namespace send the option; 0 = of all namespaces */
    uint32_t overhead_bytes;               /* of a full segment on the wire, beyond its payload, without options */
    uint32_t least_cwnd_pkts;              /* 1 or more */
    uint32_t record;                       /* 1 = every event goes into the ring buffer `events` */
    uint32_t by_rtt;                       /* 1 = delays are round trips less the shortest, not what switches report */
    uint32_t version;                      /* counts the changes: a flow begins anew when it differs */
    uint32_t law;                          /* index of the law, so that keys can be read by another process */
    char build[WEIR_TCP_BUILD_BYTES];      /* of the program that loaded the law */
    uint8_t config[WEIR_TCP_CONFIG_BYTES]; /* the struct of the law's keys */
};

struct weir_tcp_counts { /* map `counts`, one value per CPU */
    uint64_t acks;       /* calls of the law */
    uint64_t unheard;   /* .. of flows whose receiver sends no option: their delays are round trips less the shortest */
    uint64_t raised;    /* .. with a delay above 0 from a switch */
    uint64_t saturated; /* .. whose delay was the longest that the option holds */
    uint64_t losses;    /* events of loss */
    uint64_t flows;     /* sockets that began */
    uint64_t written;   /* options sent */
    uint64_t parsed;    /* options received */
    uint64_t foreign;   /* options of this kind that are not ours, or of another length */
    uint64_t unrecorded; /* events for which the ring buffer had no room */
    uint64_t unlogged;   /* requests of weights for which the audit log had none */
};

struct weir_tcp_budget {  /* map `budgets`, by cgroup */
    uint64_t limit_milli; /* largest sum of the weights of its sockets, in thousandths */
    int64_t used_milli;   /* that sum now */
    uint64_t refused;     /* weights that were refused */
};

struct weir_tcp_weight_event {               /* of the ring buffer `audit` */
    uint64_t time_ns;                        /* CLOCK_MONOTONIC */
    uint64_t cgroup, socket;                 /* inode of the cgroup's folder; cookie of the socket, 0 = unknown */
    uint32_t pid, asked_milli, weight_milli; /* weight: that it has after the request */
    uint32_t refused;                        /* 1 = the budget had no room */
};

enum weir_tcp_event_kind { WEIR_TCP_BEGIN, WEIR_TCP_ACK, WEIR_TCP_LOSS, WEIR_TCP_WEIGHT };

/* One event of the ring buffer: the input of the law, and its answer. */
struct weir_tcp_event {
    uint64_t flow;     /* number of the socket, from 1 on */
    uint64_t sequence; /* of the events of this flow: a gap means that some are lost */
    uint32_t version;  /* of the keys */
    uint32_t kind;     /* enum weir_tcp_event_kind */
    uint32_t weight_milli;
    union {
        struct weir_path path; /* WEIR_TCP_BEGIN */
        struct weir_ack ack;   /* WEIR_TCP_ACK */
        struct weir_loss loss; /* WEIR_TCP_LOSS */
    };
    uint64_t base_rtt_ps; /* the shortest round trip so far; of BEGIN and ACK */
    uint64_t start_bytes; /* window of BEGIN */
    struct weir_cc answer;
    uint32_t cwnd_pkts; /* what TCP was given */
};
#endif
