/* src/algorithms/features/rpm/rpm.h - RPM: a switch reports congestion directly to the sender, by setting ECE in an ACK
 * of the flow that passes the switch. The receiver is not involved.
 * Source: Baganal-Krishna, Tran, Kundel and Rizk, "Accelerating End-host Congestion Response using P4 Programmable
 * Switches", arXiv 2307.09639, section II. A congestion event is a packet that a marking feature (features/codel,
 * features/ecn) would mark.
 * Departs from it: counts saturate, and cells expire. If no ACK has come to a cell, an event marks its packet with CE.
 * The paper has no rule for a sender whose ACKs take another path. */
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
    uint32_t entries;    /* cells of a switch, with cells per flow; 1 .. 2^24 */
    uint64_t expiry_ps;
};

struct weir_rpm_model { /* parameters of all switches */
    uint64_t expiry_ps; /* a cell is cleared if no ACK comes to it for this time; 1 ps .. 100 s, so below 2^48 */
    uint32_t entries;   /* cells of a switch, shared by its flows; 0 = one cell for each port */
    uint32_t count_max; /* most events that a cell holds: 1 or 255 */
};

struct weir_rpm_cell {       /* events of the flows that share it, or of a port; zeroed at first */
    uint64_t seen_ps;        /* when the last ACK came to it; 0 = none since it was cleared (the paper's ack_seen) */
    uint64_t event_ps : 48;  /* time of the last event, modulo 2^48 */
    uint64_t count : 8;      /* events for which no ACK has been marked yet */
    uint64_t new_events : 8; /* part of count: events at event_ps; <= count */
};
_Static_assert(sizeof(struct weir_rpm_cell) == 16, "four to a cache line");

struct weir_rpm_node { /* state of a switch; its cells follow, if they are per flow */
    bool ended;        /* on_end has processed the cells */
    uint8_t pad[15];
    struct weir_rpm_cell cell[];
};

struct weir_rpm_port {         /* state and counters of a port */
    struct weir_rpm_cell cell; /* its cell, if cells are per port */
    /* sums over the ports of a switch: events = marked + left + saturated + expired + forward */
    uint64_t events;    /* packets with ECT at this port that would have been marked */
    uint64_t marked;    /* ACKs that came in by this port's cable and got ECE; each reduced a count by 1 */
    uint64_t saturated; /* events lost because the cell's count was at its maximum */
    uint64_t expired;   /* events cleared with an expired cell */
    uint64_t forward;   /* events whose packet got CE, because no ACK had come to the cell */
    uint64_t left;      /* events still in a cell at the end of the run */
};

extern const struct weir_feature weir_rpm_feature;
#endif
