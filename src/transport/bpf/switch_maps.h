/* src/transport/bpf/switch_maps.h - the maps of a switch, and RPM's cells in them, for BPF only. */
#ifndef WEIR_BPF_SWITCH_MAPS_H
#define WEIR_BPF_SWITCH_MAPS_H
#include "bpf/switch.h"
#include "bpf/switch_frame.h"
#include "features/rpm/rpm_core.h"

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, struct weir_switch_keys);
} keys SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, WEIR_SWITCH_PORTS_MAX);
    __type(key, uint32_t);
    __type(value, struct weir_switch_port);
} ports SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, WEIR_SWITCH_PORTS_MAX);
    __type(key, uint32_t);
    __type(value, struct weir_switch_state);
} states SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, WEIR_SWITCH_PORTS_MAX);
    __type(key, uint32_t);
    __type(value, struct weir_switch_counts);
} counts SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 3 * WEIR_SWITCH_PORTS_MAX);
    __type(key, uint32_t);
    __type(value, uint32_t);
} devices SEC(".maps"); /* port of a device, by the device's index */

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, WEIR_SWITCH_ADDRESSES_MAX);
    __type(key, uint32_t);
    __type(value, uint32_t);
} addresses SEC(".maps"); /* port of a host, by its IPv4 address */

struct cell { /* of RPM; an event and an ACK may come to it on two processors */
    struct bpf_spin_lock lock;
    struct weir_rpm_cell rpm;
};

struct { /* the loader sets max_entries: cells of flows, then one for each port */
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, WEIR_SWITCH_PORTS_MAX);
    __type(key, uint32_t);
    __type(value, struct cell);
} cells SEC(".maps");

char _license[] SEC("license") = "Dual BSD/GPL";

struct here { /* the switch, and the port of the frame at hand */
    const struct weir_switch_keys *keys;
    const struct weir_switch_port *port;
    struct weir_switch_counts *counts;
    uint32_t number;
};

/* Finds the port to which the frame's device belongs. @return false = to none */
static __always_inline bool find_here(const struct __sk_buff *skb, struct here *h)
{
    uint32_t device = skb->ifindex, zero = 0;
    const uint32_t *number = bpf_map_lookup_elem(&devices, &device);
    if (number == NULL)
        return false;
    h->number = *number;
    h->keys = bpf_map_lookup_elem(&keys, &zero);
    h->port = bpf_map_lookup_elem(&ports, number);
    h->counts = bpf_map_lookup_elem(&counts, number);
    return h->keys != NULL && h->port != NULL && h->counts != NULL;
}

/* Returns the cell of the flow whose data goes from src to dst, or of a port. ports: as in the data's header */
static __always_inline struct cell *find_cell(const struct here *h, uint32_t src, uint32_t dst, uint32_t flow_ports)
{
    const struct weir_rpm_model *m = &h->keys->rpm_model;
    uint32_t index =
        m->entries == 0 ? h->number : weir_rpm_index(bpf_ntohl(src), bpf_ntohl(dst), flow_ports, m->entries);
    return bpf_map_lookup_elem(&cells, &index);
}

/* Makes a congestion event of a frame with ECT: an event of RPM, or a mark. */
static __always_inline void congested(struct __sk_buff *skb, const struct here *h, struct frame *f, uint64_t now_ps)
{
    bool counted = false;
    if (h->counts->first_event_ns == 0)
        h->counts->first_event_ns = now_ps / 1000;
    if (h->keys->rpm && f->is_tcp) {
        struct cell *cell = find_cell(h, f->src, f->dst, f->ports);
        if (cell != NULL) {
            bpf_spin_lock(&cell->lock);
            counted = weir_rpm_event(&h->keys->rpm_model, &cell->rpm, &h->counts->rpm, now_ps);
            bpf_spin_unlock(&cell->lock);
        }
    }
    if (counted)
        return;
    frame_mark(skb, f);
    h->counts->marks++;
}

/* Takes an ACK on its way back to RPM's cell, and sets ECE in it if events wait there. */
static __always_inline void acknowledged(struct __sk_buff *skb, const struct here *h, const struct frame *f,
                                         uint64_t now_ps)
{
    bool marks = false;
    struct cell *cell = find_cell(h, f->dst, f->src, f->ports << 16 | f->ports >> 16);
    if (cell == NULL)
        return;
    bpf_spin_lock(&cell->lock);
    marks = weir_rpm_ack(&h->keys->rpm_model, &cell->rpm, &h->counts->rpm, now_ps);
    bpf_spin_unlock(&cell->lock);
    if (marks)
        frame_echo(skb, f);
}
#endif
