/* src/transport/bpf/kernel_filter.h - the programs of a switch at its devices, and the maps behind them. */
#ifndef WEIR_BPF_KERNEL_FILTER_H
#define WEIR_BPF_KERNEL_FILTER_H
#include "bpf/kernel_ports.h"
#include "core/err.h"
#include <stdbool.h>

struct bpf_object;

enum weir_switch_at {                    /* where a program is */
                      WEIR_SWITCH_ENTER, /* a port's device, what arrives */
                      WEIR_SWITCH_JOIN,  /* a queue's device, what leaves */
                      WEIR_SWITCH_LEAVE, /* its peer, what arrives */
};

struct weir_switch_maps { /* file descriptors */
    int keys, ports, counts, cells;
};

/* Loads the programs, and fills their maps by the switch; the ports' devices must be made. *object: gets them, for
 * weir_kernel_filters_close(). @return 0, or a code with err */
int weir_kernel_filters_load(const struct weir_kernel_switch *sw, struct bpf_object **object, struct weir_err *err);
void weir_kernel_filters_close(struct bpf_object *object);

/* Attaches a program to the device of each port. @return 0, or a code with err: for example, the device has a filter of
 * somebody else in this place */
int weir_kernel_filters_attach(const struct weir_kernel_switch *sw, struct bpf_object *object, enum weir_switch_at at,
                               struct weir_err *err);

/* Removes our program from a port's device, and the qdisc that we made for it if nothing else is there. */
void weir_kernel_filter_detach(const struct weir_switch_port *port);

/* Removes our programs from all devices that have them as ports: for a switch of another build, whose maps cannot be
 * read. @return how many there were */
uint32_t weir_kernel_filters_sweep(void);

/* Finds the switch of this namespace by its programs at devices, and opens its maps; weir_kernel_maps_close() closes
 * them. @return false = there is none */
bool weir_kernel_maps_find(struct weir_switch_maps *maps);
void weir_kernel_maps_close(struct weir_switch_maps *maps);

/* Reads the keys and all ports. @return false = the maps are of another build of Weir */
bool weir_kernel_maps_read(const struct weir_switch_maps *maps, struct weir_switch_keys *keys,
                           struct weir_switch_port port[WEIR_SWITCH_PORTS_MAX]);

/* Reads the counters of a port, summed over processors. @return false = no memory */
bool weir_kernel_maps_counts(const struct weir_switch_maps *maps, uint32_t number, struct weir_switch_counts *sum);

/* Counts the events that wait in RPM's cells. */
uint64_t weir_kernel_maps_left(const struct weir_switch_maps *maps);
#endif
