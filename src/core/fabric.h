/* src/core/fabric.h - what a switch feature is asked, and what it may write: a fixed list of rows per egress port.
 * Features decide, the switch acts. The first verdict other than PASS wins. */
#ifndef WEIR_CORE_FABRIC_H
#define WEIR_CORE_FABRIC_H
#include "core/cc.h"

enum weir_verdict {
    WEIR_PASS,
    WEIR_DEFLECT,
    WEIR_TRIM,
    WEIR_DROP,
};

struct weir_port_view {   /* one egress port as a feature sees it, before the packet joins */
    uint64_t queue_bytes; /* not yet put on the wire, the unsent part of the frame in transmission included */
    uint64_t tx_bytes;    /* put on the wire so far */
    uint64_t rate_bps;
};

struct weir_switch_view { /* all ports of one switch at one instant */
    uint64_t now_ps;
    uint64_t used_bytes; /* memory held, over all ports */
    const struct weir_port_view *port;
    uint32_t port_count;
};

struct weir_pkt_meta { /* what a feature may read, and the few things it may write */
    uint64_t draw;     /* random bits of this link and packet: hash of (seed, link, use, count) */
    uint64_t enqueued_ps;
    uint32_t size_bytes;
    uint16_t in_port, out_port;
    uint8_t flags; /* enum weir_pkt_flag; CE written by marking */
    uint8_t class_id;
    bool marked_here; /* written: by this hop */
};

struct weir_fabric_ops {
    const char *name;
    uint32_t offers; /* enum weir_need bits this feature satisfies */
    enum weir_verdict (*on_enqueue)(const void *config, const struct weir_switch_view *view, struct weir_pkt_meta *pkt);
};
#endif
