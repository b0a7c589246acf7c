/* src/transport/bpf/pins.h - folders of bpffs, and where cgroups and namespaces are found. */
#ifndef WEIR_BPF_PINS_H
#define WEIR_BPF_PINS_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_BPFFS "/sys/fs/bpf"
#define WEIR_PINS WEIR_BPFFS "/weir"

/* Mounts bpffs at WEIR_BPFFS unless it is, as iproute2 does, and makes the folder WEIR_PINS in it. @return 0, or a code
 * with err */
int weir_pins_prepare(struct weir_err *err);

/* Waits until no other process loads or unloads. @return a descriptor whose close() lets others in; negative with
 * err */
int weir_pins_lock(struct weir_err *err);

/* Removes a folder with its files, the one called `law` first; not an error if there is none. Also removes
 * WEIR_PINS if that is empty then. @return 0, or a code with err */
int weir_pins_remove(const char *folder, struct weir_err *err);

/* Finds where cgroup v2 is mounted. @return 0; WEIR_E_RUN with err if it is nowhere */
int weir_cgroup_root(char *root, size_t size, struct weir_err *err);

/* Opens the folder of a cgroup. path: NULL = the root of cgroup v2, wherever that is mounted; if it is not, it is
 * mounted for a moment out of sight. @return a descriptor; negative with err */
int weir_cgroup_open(const char *path, struct weir_err *err);

/* Finds the number of a cgroup, which is the inode of its folder. @return 0, or a code with err */
int weir_cgroup_number(const char *folder, uint64_t *number, struct weir_err *err);

/* Finds the folder of a cgroup by its number. @return false = it is gone, or cgroup v2 is not mounted */
bool weir_cgroup_folder(uint64_t number, char *folder, size_t size);

/* Finds the number that the kernel gave a network namespace. name: as `ip netns` has it; NULL = the caller's;
 * "all" = none in particular, cookie 0.
 * @return 0, or a code with err */
int weir_netns_cookie(const char *name, uint64_t *cookie, struct weir_err *err);
#endif
