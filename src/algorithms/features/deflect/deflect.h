/* src/algorithms/features/deflect/deflect.h - IOFD, in-order flow deflection: if the first packet of a short message
 * finds a long queue, the whole message takes another port.
 * Source: Xue, Chaudhry, Vamanan, Vijaykumar and Thottethodi, "Dart", IEEE/ACM Transactions on Networking 28(1), 2020,
 * section IV.
 * Departs from it: an entry is for a message and the number of tokens that its packets have left. The paper's entry is
 * for the message alone. With the paper's rule, packets leave out of order if their message comes back to a switch
 * before its last packet has passed (doc/deflect.md). */
#ifndef WEIR_FEATURES_DEFLECT_DEFLECT_H
#define WEIR_FEATURES_DEFLECT_DEFLECT_H
#include <stdbool.h>
#include <stdint.h>

struct weir_feature;

struct weir_deflect_config { /* section `fabric.deflect` */
    uint32_t mode;           /* 1 = on */
    uint32_t entries;        /* entries in a switch's table; 0 .. 1024 */
    uint32_t tokens;         /* tokens of a packet of a short message; 0 .. WEIR_PKT_TOKENS_MAX */
    uint32_t last_hop;       /* 1 = also deflect from the port that leads to the receiver */
    uint32_t key;            /* enum weir_deflect_key */
    uint32_t spend;          /* enum weir_deflect_spend */
    uint32_t itself;         /* 1 = the queue that is compared includes the packet itself */
    uint32_t hash;           /* enum weir_deflect_hash */
    uint32_t escape;         /* enum weir_deflect_escape */
    uint64_t threshold_bytes, short_bytes, timeout_ps;
};

/* Two readings of the paper for each of four rules: doc/deflect.md. */
enum weir_deflect_key { WEIR_DEFLECT_BY_TOKENS, WEIR_DEFLECT_BY_MESSAGE }; /* key of an entry, with or without tokens */
enum weir_deflect_spend { WEIR_DEFLECT_EACH, WEIR_DEFLECT_FIRST };         /* packets of a message that lose a token */
enum weir_deflect_hash { WEIR_DEFLECT_KEEP_HASH, WEIR_DEFLECT_NEW_HASH };  /* path hash of a deflected packet */
/* The change to the lower of two virtual lanes: without a token left, or also where the packet's own lane is paused. */
enum weir_deflect_escape { WEIR_DEFLECT_ESCAPE_TOKENS, WEIR_DEFLECT_ESCAPE_PAUSED };

struct weir_deflect_model {   /* parameters of all switches */
    uint64_t threshold_bytes; /* a message is deflected if its first packet finds more than this queued */
    uint64_t timeout_ps;      /* an entry expires if no packet uses it for this time; 1 ps .. 100 s */
    uint32_t entries;
    uint32_t lanes, lane_class; /* lanes: number of virtual lanes; lane_class: class of the lowest one */
    bool escapes;               /* a packet may leave in the lower of two lanes where its own is paused */
    bool lane_each;             /* one lane for each number of tokens left; else two lanes, as in the paper */
    bool by_message;            /* an entry is for a message, whatever tokens its packets have */
    bool first_spends;          /* only the first packet of a message loses a token at a deflection */
    bool itself;                /* the queue that is compared includes the packet itself */
    bool new_hash;              /* a deflected packet gets a new path hash for the switches after */
    bool last_hop;
};

struct weir_deflect_entry { /* a message deflected at this switch, with this number of tokens left; zeroed = free */
    uint64_t used_ps;       /* when its last packet came */
    uint32_t src, conn, msg;
    uint16_t port;  /* port by which its packets leave */
    uint8_t tokens; /* tokens of its packets when they arrive, >= 1; 0 = the entry is free */
};
_Static_assert(sizeof(struct weir_deflect_entry) == 24, "as many as a switch has lie behind its node");

struct weir_deflect_node { /* state of a switch; its table of entries follows */
    uint64_t key;          /* key of its random draws */
    uint64_t draws;        /* draws so far */
    uint32_t ports;
    bool wrong_lane; /* a packet arrived in a lane that does not fit its tokens */
    struct weir_deflect_entry entry[];
};

struct weir_deflect_port { /* counters for packets that arrive over this port's cable */
    uint64_t messages;     /* messages deflected, counted at each switch that deflects them */
    uint64_t packets;      /* packets deflected, counted at each switch that deflects them */
    uint64_t table_full;   /* messages not deflected: no entry was free */
    uint64_t no_token;     /* messages not deflected: no token was left, or they never had one */
    uint64_t no_port;      /* messages not deflected: there was no other port */
    uint64_t expired;      /* entries that expired */
    uint64_t escaped;      /* packets that left by this port in the lower lane because their own was paused */
    uint64_t links;        /* links that DATA took */
    uint64_t least_links;  /* links that DATA would have taken without deflection; modulo 2^64 */
    /* Links of DATA that started with tokens, from host to host. short_links: on the paths taken; short_least_links: on
     * the paths without deflection. Modulo 2^64 */
    uint64_t short_links;
    uint64_t short_least_links;
    bool to_switch; /* the port leads to a switch */
    bool goes_up;   /* the port leads to a switch of a higher tier */
    uint8_t pad[6];
};

extern const struct weir_feature weir_deflect_feature;
#endif
