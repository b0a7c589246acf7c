/* src/algorithms/features/deflect/deflect.h - IOFD, in-order flow deflection: a short message that meets a long queue
 * takes another port, all of it.
 * Source: Xue, Chaudhry, Vamanan, Vijaykumar and Thottethodi, "Dart", IEEE/ACM Transactions on Networking 28(1), 2020,
 * section IV.
 * Departs from it: an entry is of a message and of the tokens that its packets have left. The paper's is of the message
 * alone; a message that comes back to a switch while its end is still to come then leaves out of order
 * (doc/deflect.md). */
#ifndef WEIR_FEATURES_DEFLECT_DEFLECT_H
#define WEIR_FEATURES_DEFLECT_DEFLECT_H
#include <stdbool.h>
#include <stdint.h>

struct weir_feature;

struct weir_deflect_config { /* section `fabric.deflect` */
    uint32_t mode;           /* 1 = on */
    uint32_t entries;        /* of a switch's table; 0 .. 1024 */
    uint32_t tokens;         /* of a packet of a short message; 0 .. WEIR_PKT_TOKENS_MAX */
    uint32_t last_hop;       /* 1 = also away from the port that leads to the receiver */
    uint32_t key;            /* enum weir_deflect_key */
    uint32_t spend;          /* enum weir_deflect_spend */
    uint32_t itself;         /* 1 = the packet counts in the queue that is compared */
    uint32_t hash;           /* enum weir_deflect_hash */
    uint64_t threshold_bytes, short_bytes, timeout_ps;
};

/* Readings of the paper (doc/deflect.md). */
enum weir_deflect_key { WEIR_DEFLECT_BY_TOKENS, WEIR_DEFLECT_BY_MESSAGE };
enum weir_deflect_spend { WEIR_DEFLECT_EACH, WEIR_DEFLECT_FIRST };
enum weir_deflect_hash { WEIR_DEFLECT_KEEP_HASH, WEIR_DEFLECT_NEW_HASH };

struct weir_deflect_model {
    uint64_t threshold_bytes; /* a first packet that finds more than this at its port is deflected */
    uint64_t timeout_ps;      /* an entry that no packet has used for so long is free; 1 ps .. 100 s */
    uint32_t entries;
    uint32_t lanes, lane_class; /* virtual lanes, 0 = none; the class of the lowest */
    bool lane_each;             /* there is one for each number of tokens left; else two, as in the paper */
    bool by_message;            /* an entry is of a message, whatever tokens its packets have */
    bool first_spends;          /* only the first packet of a message loses a token where it is deflected */
    bool itself;                /* the packet counts in the queue that is compared */
    bool new_hash;              /* a packet that is deflected takes another of the equal paths from there on */
    bool last_hop;
};

struct weir_deflect_entry { /* of a message that was deflected here with so many tokens left; zeroed = free */
    uint64_t used_ps;       /* when its last packet came */
    uint32_t src, conn, msg;
    uint16_t port;  /* by which its packets leave */
    uint8_t tokens; /* left when they come, >= 1; 0 = the entry is free */
};
_Static_assert(sizeof(struct weir_deflect_entry) == 24, "as many as a switch has lie behind its node");

struct weir_deflect_node { /* of a switch; behind it its entries */
    uint64_t key;          /* of its random draws */
    uint64_t draws;        /* so far */
    uint32_t ports;
    bool wrong_lane; /* a packet came in a lane in which it cannot be */
    struct weir_deflect_entry entry[];
};

struct weir_deflect_port { /* counters: of packets that come in by this port's cable */
    uint64_t messages;     /* deflected, once for each switch that does it */
    uint64_t packets;      /* likewise */
    uint64_t table_full;   /* messages that stayed: no entry was free */
    uint64_t no_token;     /* messages that stayed: they had no token left, or never one */
    uint64_t no_port;      /* messages that stayed: there is no other port */
    uint64_t expired;      /* entries that were not used for too long */
    uint64_t links;        /* that DATA took */
    uint64_t least_links;  /* that it would have taken without deflection; modulo 2^64 */
    /* Of DATA with tokens, from host to host: by paths after the last deflection; and by routes. Modulo 2^64. */
    uint64_t short_links;
    uint64_t short_least_links;
    bool to_switch; /* the port leads to a switch .. */
    bool goes_up;   /* .. that is farther from hosts */
    uint8_t pad[14];
};

extern const struct weir_feature weir_deflect_feature;
#endif
