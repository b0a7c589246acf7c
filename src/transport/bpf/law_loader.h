/* src/transport/bpf/law_loader.h - loads a control law into the kernel's TCP, and takes it out again.
 * A law that is loaded is links and maps, pinned in a folder of bpffs of its name: /sys/fs/bpf/weir/soze. The folder
 * outlives the process that made it. Whoever removes it unloads the law; sockets that use the law keep it until they
 * close. */
#ifndef WEIR_BPF_LAW_LOADER_H
#define WEIR_BPF_LAW_LOADER_H
#include "bpf/law_keys.h"

/* Loads a law. If it is loaded already by the same build, sets its keys; flows begin anew with these. After an error
 * nothing is loaded that was not before. @return 0, or a code with err */
int weir_law_load(const struct weir_law_options *options, struct weir_law_loaded *loaded, struct weir_err *err);

/* Reads keys and counters of a law that is loaded. @return 0; WEIR_E_UNKNOWN with err if it is not */
int weir_law_status(const char *law, struct weir_law_loaded *loaded, struct weir_err *err);

/* Opens a pinned map or link of a law. Only in builds with programs for the kernel. @return a descriptor, or a negative
 * errno */
int weir_law_open(const char *law, const char *name);

/* Unloads a law. *lives: true if the kernel still has it, because sockets use it. @return 0; WEIR_E_UNKNOWN with err if
 * it is not loaded */
int weir_law_unload(const char *law, bool *lives, struct weir_err *err);

/* Sets the weight of sockets that are made in a cgroup from now on, in thousandths; 0 = forget it. cgroup: its
 * number, which is the inode of its folder. @return 0, or a code with err */
int weir_law_weigh_cgroup(const char *law, uint64_t cgroup, uint32_t weight_milli, struct weir_err *err);

/* Sets the largest sum of weights of the sockets that are made in a cgroup from now on, in thousandths; 0 = no limit.
 * @return 0, or a code with err */
int weir_law_budget_cgroup(const char *law, uint64_t cgroup, uint64_t limit_milli, struct weir_err *err);

/* Reads the budget of the cgroup that comes after *cgroup in the table; *cgroup: 0 = the first one. @return false =
 * there are no more, or the law has none */
bool weir_law_next_budget(const char *law, uint64_t *cgroup, struct weir_tcp_budget *budget);

/* Removes what an interrupted load or unload of any law has left. *removed: the number of laws. @return 0, or a code
 * with err */
int weir_law_clean(uint32_t *removed, struct weir_err *err);

/* Tests whether the kernel and this process can load programs. @return 0, or WEIR_E_RUN with what is missing in
 * err, and what to do as its hint */
int weir_law_possible(struct weir_err *err);
#endif
