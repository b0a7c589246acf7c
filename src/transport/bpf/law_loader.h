/* src/transport/bpf/law_loader.h - loads a control law into the kernel's TCP, and takes it out again.
 * A law that is loaded is links and maps, pinned in a folder of bpffs of its name: /sys/fs/bpf/weir/soze. The folder
 * outlives the process that made it. Whoever removes it unloads the law; sockets that use the law keep it until they
 * close. */
#ifndef WEIR_BPF_LAW_LOADER_H
#define WEIR_BPF_LAW_LOADER_H
#include "bpf/tcp.h"
#include "core/err.h"
#include <stdbool.h>

#define WEIR_BPFFS "/sys/fs/bpf"
#define WEIR_PINS WEIR_BPFFS "/weir"
#define WEIR_SOZE_RATE_BPS UINT64_C(100000000000) /* rate of the links in Soze's paper */

struct weir_protocol;

struct weir_law_options {
    const char *text;   /* the law and its keys: "soze m=0.25" */
    const char *netns;  /* namespace whose sockets send the option, by its name or "all"; NULL = that of the caller */
    const char *cgroup; /* folder of cgroup v2 whose sockets do; NULL = all of the namespace */
    uint64_t port_bps;  /* rate of the slowest port; Soze's keys follow from it. 0 = unknown, keys are the paper's */
    bool record;        /* fill the ring buffer of events */
    bool by_rtt;        /* delays are round trips less the shortest */
};

struct weir_law_loaded { /* what is loaded */
    const struct weir_protocol *protocol;
    struct weir_tcp_keys keys;
    struct weir_tcp_counts counts;
    char name[16];   /* as TCP_CONGESTION has it: "weir_soze" */
    bool has_option; /* its sockets send the option */
    bool was_loaded; /* it was loaded before this call, which set its keys */
};

/* Returns the name of the i-th law that can be loaded, from 0; NULL = there are no more, or this build has none. */
const char *weir_law_at(size_t i);

/* Loads a law. If it is loaded already by the same build, sets its keys; flows begin anew with these. After an error
 * nothing is loaded that was not before. @return 0, or a code with err */
int weir_law_load(const struct weir_law_options *options, struct weir_law_loaded *loaded, struct weir_err *err);

/* Reads keys and counters of a law that is loaded. @return 0; WEIR_E_UNKNOWN with err if it is not */
int weir_law_status(const char *law, struct weir_law_loaded *loaded, struct weir_err *err);

/* Unloads a law. *lives: true if the kernel still has it, because sockets use it. @return 0; WEIR_E_UNKNOWN with err if
 * it is not loaded */
int weir_law_unload(const char *law, bool *lives, struct weir_err *err);

/* Sets the weight of sockets that are made in a cgroup from now on, in thousandths; 0 = forget it. cgroup: its number, which
 * is the inode of its folder. @return 0, or a code with err */
int weir_law_weigh_cgroup(const char *law, uint64_t cgroup, uint32_t weight_milli, struct weir_err *err);

/* Removes what an interrupted load or unload of any law has left. *removed: the number of laws. @return 0, or a code
 * with err */
int weir_law_clean(uint32_t *removed, struct weir_err *err);

/* Tests whether the kernel and this process can load programs. @return 0, or WEIR_E_RUN with what is missing in err, and
 * what to do as its hint */
int weir_law_possible(struct weir_err *err);
#endif
