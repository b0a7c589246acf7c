/* src/base/core/need.h - what a protocol needs of network, host and world. Switch features offer the same bits. */
#ifndef WEIR_CORE_NEED_H
#define WEIR_CORE_NEED_H

/* The needs of a protocol. Those of the network are compared with the offers of switch features
 * (weir_feature_plan.offers) before a run. */
enum weir_need {
    WEIR_NEED_ECN = 1u << 0,
    WEIR_NEED_INT = 1u << 1,
    WEIR_NEED_QDELAY = 1u << 2,
    WEIR_NEED_ACK_INT = 1u << 3,    /* FNCC: the request path's telemetry, put into returning ACKs */
    WEIR_NEED_FAIR_RATE = 1u << 4,  /* RoCC: a congested port sends its flows their rate, by notices */
    WEIR_NEED_RCP = 1u << 5,        /* RCP: ports lower the rate in DATA to their own */
    WEIR_NEED_GATE = 1u << 6,       /* ports that let credit through only as fast as data may come back */
    WEIR_NEED_WEIGHTS = 1u << 15,   /* of the host: the law takes weights, by notices of kind WEIR_NOTICE_WEIGHT */
    WEIR_NEED_NO_ACKS = 1u << 16,   /* of the host: send and forget; the packet is the message (open loop) */
    WEIR_MAY_ECN = 1u << 17,        /* no need: it obeys marks where switches mark, and does without */
    WEIR_NEED_HOPS = 1u << 18,      /* of the world: weir_path.hops is that of the flow's own path */
    WEIR_NEED_HELD = 1u << 19,      /* of the host: ACKs report how long their receiver held them */
    WEIR_NEED_ONE_CLOCK = 1u << 20, /* of the world: now_ps is the same on all hosts, as in a simulation */
    WEIR_NEED_RECENT = 1u << 21,    /* of the host: weir_echo.recent_count */
};
#endif
