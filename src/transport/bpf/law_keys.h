/* src/transport/bpf/law_keys.h - laws that can be loaded into the kernel's TCP, and their keys: from "soze m=0.25" and
 * the rate of the slowest port. */
#ifndef WEIR_BPF_LAW_KEYS_H
#define WEIR_BPF_LAW_KEYS_H
#include "bpf/tcp.h"
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>

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

/* Fills the keys and the name of the law, and finds its protocol. @return 0, or a code with err */
int weir_law_keys_read(const struct weir_law_options *options, struct weir_law_loaded *loaded, struct weir_err *err);
#endif
