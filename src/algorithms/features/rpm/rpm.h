/* src/algorithms/features/rpm/rpm.h - RPM: a switch reports congestion to the sender in an ACK that passes, not by way
 * of the receiver.
 * Source: Baganal-Krishna, Tran, Kundel and Rizk, "Accelerating End-host Congestion Response using P4 Programmable
 * Switches", arXiv 2307.09639, section II. The features that mark (features/codel, features/ecn) decide which packets
 * have an event.
 * Departs from it: counts saturate, cells expire, and an event on a cell that no ACK has come to marks its packet as
 * without RPM. The paper has no rule for a sender whose ACKs take another way. */
#ifndef WEIR_FEATURES_RPM_RPM_H
#define WEIR_FEATURES_RPM_RPM_H
#include <stdbool.h>
#include <stdint.h>

struct weir_feature;

enum weir_rpm_cells { WEIR_RPM_PER_FLOW, WEIR_RPM_PER_PORT };
enum weir_rpm_counter { WEIR_RPM_8_BIT, WEIR_RPM_BIT };

struct weir_rpm_config { /* section `fabric.rpm` */
    uint32_t mode;       /* 1 = on */
    uint32_t cells;      /* enum weir_rpm_cells */
    uint32_t counter;    /* enum weir_rpm_counter */
    uint32_t entries;    /* cells of a switch; 1 .. 2^24 */
    uint64_t expiry_ps;
};

struct weir_rpm_model {
    uint64_t expiry_ps; /* a cell that no ACK has come to for so long is cleared; 1 .. 100 s, so below 2^48 */
    uint32_t entries;   /* cells of a switch; 0 = one for each port */
    uint32_t count_max; /* 1 or 255 */
};

struct weir_rpm_cell {       /* of the flows that share it, or of a port; zeroed at first */
    uint64_t seen_ps;        /* when the last ACK came to it; 0 = none since it was cleared (`ack_seen` is not set) */
    uint64_t event_ps : 48;  /* of the last event, modulo 2^48 */
    uint64_t count : 8;      /* events that no ACK has been marked for yet */
    uint64_t new_events : 8; /* of those, which happened at event_ps: <= count */
};
_Static_assert(sizeof(struct weir_rpm_cell) == 16, "four to a cache line");

struct weir_rpm_node { /* of a switch; behind it its cells, if they are of flows */
    bool ended;        /* on_end has gone through the cells */
    uint8_t pad[15];
    struct weir_rpm_cell cell[];
};

struct weir_rpm_port {
    struct weir_rpm_cell cell; /* if it has one of its own */
    /* events = marked + left + saturated + expired + forward, over the ports of a switch */
    uint64_t events;    /* at this port: packets with ECT that would have been marked */
    uint64_t marked;    /* ACKs that got ECE where they came in by this port's cable; each has spent a count */
    uint64_t saturated; /* events that found their count at its maximum: lost */
    uint64_t expired;   /* counts cleared with their cell */
    uint64_t forward;   /* events on a cell without an ACK: their packet got CE */
    uint64_t left;      /* counts that the end of the run finds */
};

extern const struct weir_feature weir_rpm_feature;
#endif
