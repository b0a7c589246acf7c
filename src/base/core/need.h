/* src/base/core/need.h - needs of a protocol, as bits: requirements on the network, the host or the world. The offers
 * of switch features use the same bits. */
#ifndef WEIR_CORE_NEED_H
#define WEIR_CORE_NEED_H

/* The needs of a protocol. Set-up compares needs of the network with the offers of switch features
 * (weir_feature_plan.offers). */
enum weir_need {
    WEIR_NEED_ECN = 1u << 0,
    WEIR_NEED_INT = 1u << 1,
    WEIR_NEED_QDELAY = 1u << 2,
    WEIR_NEED_ACK_INT = 1u << 3,    /* FNCC: switches write telemetry of the DATA's path into returning ACKs */
    WEIR_NEED_FAIR_RATE = 1u << 4,  /* RoCC: a congested port sends each of its flows a fair rate by a NOTICE */
    WEIR_NEED_RCP = 1u << 5,        /* RCP: each port lowers the rate in DATA to its own rate */
    WEIR_NEED_GATE = 1u << 6,       /* ports limit the rate of credit so that DATA in the other direction fits its
                                       link */
    WEIR_NEED_WEIGHTS = 1u << 15,   /* of the host: notices of kind WEIR_NOTICE_WEIGHT for the law */
    WEIR_NEED_NO_ACKS = 1u << 16,   /* of the host: each message is one packet, without ACK and retransmission (open
                                       loop) */
    WEIR_MAY_ECN = 1u << 17,        /* not a requirement: the protocol reacts to marks if switches mark, and works
                                       without them */
    WEIR_NEED_HOPS = 1u << 18,      /* of the world: weir_path.hops is of the flow's own path */
    WEIR_NEED_HELD = 1u << 19,      /* of the host: ACKs report how long their receiver held them */
    WEIR_NEED_ONE_CLOCK = 1u << 20, /* of the world: now_ps is the same on all hosts, as in a simulation */
    WEIR_NEED_RECENT = 1u << 21,    /* of the host: weir_echo.recent_count */
    WEIR_MAY_DEFLECT = 1u << 22,    /* not a requirement: endpoints give short messages tokens, in case switches deflect
                                       (in a simulation fabric.deflect gives them to any law) */
};
#endif
