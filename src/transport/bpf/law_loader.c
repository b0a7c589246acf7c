/* src/transport/bpf/law_loader.c - loads laws by libbpf. Programs are attached by links, so that a load that is
 * interrupted leaves nothing but pins, and what is not pinned is gone with its process. The order: first what
 * writes and reads the option, then the law, then its pin. So a law that is found by others has its signal, and a
 * folder without the law's pin is the rest of an interrupted load. */
#define _GNU_SOURCE
#include "bpf/law_loader.h"
#include "bpf/law_keys.h"
#include "bpf/objects.h"
#include "bpf/pins.h"
#include "registry.h"
#include "text/commit.h"
#include "text/version.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BY_LINK (1u << 13)   /* BPF_F_LINK: the map waits for a link, which registers the law */
#define ATTACH_STRUCT_OPS 44 /* BPF_STRUCT_OPS of enum bpf_attach_type */

static const char *const maps[] = { "keys", "counts", "numbers", "events", "weights", "budgets", "audit" };
static const char *const hooks[] = { "law_option", "law_setsockopt", "law_getsockopt", "law_socket", "law_release" };
#define MAPS (sizeof(maps) / sizeof(*maps))
#define HOOKS (sizeof(hooks) / sizeof(*hooks))

struct loading { /* a load in progress; what is not pinned in the end is gone when this is closed */
    struct bpf_object *object;
    struct bpf_link *hook[HOOKS];
    int law_link; /* descriptor; -1 = none */
    char folder[64];
    bool made_folder;
};

static void folder_of(const char *law, char *folder, size_t size)
{
    (void)snprintf(folder, size, WEIR_PINS "/%.20s", law);
}

static int silent(enum libbpf_print_level level, const char *format, va_list arguments)
{
    (void)level, (void)format, (void)arguments;
    return 0;
}

int weir_law_possible(struct weir_err *err)
{
    struct bpf_prog_load_opts options;
    const struct bpf_insn nothing[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
    int fd;
    memset(&options, 0, sizeof(options)); /* also behind its last field, as libbpf wants it */
    options.sz = sizeof(options);
    (void)libbpf_set_print(silent);
    if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
        return weir_fail(err, WEIR_E_RUN, NULL, "CONFIG_DEBUG_INFO_BTF=y; kernels of distributions have it",
                         "this kernel does not describe its types: there is no /sys/kernel/btf/vmlinux");
    fd = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "weir", "GPL", nothing, 2, &options);
    if (fd < 0)
        return weir_fail(err, WEIR_E_RUN, NULL,
                         fd == -EPERM ? "this takes root, or CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON" : NULL,
                         "programs cannot be loaded into this kernel: %s", strerror(-fd));
    (void)close(fd);
    return 0;
}

/* ---- loading ---- */

static int open_object(struct loading *l, const char *law, struct weir_err *err)
{
    const struct weir_bpf_object *o = weir_bpf_objects;
    struct bpf_object_open_opts options;
    memset(&options, 0, sizeof(options)); /* also behind its last field, as libbpf wants it */
    options.sz = sizeof(options);
    options.object_name = law;
    while (o->name != NULL && strcmp(o->name, law) != 0)
        o++;
    if (o->name == NULL)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: this build has no program of it for the kernel", law);
    l->object = bpf_object__open_mem(o->bytes, o->size, &options);
    return l->object != NULL ? 0 : weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: its program cannot be read", law);
}

static struct bpf_map *law_map(const struct loading *l)
{
    return bpf_object__find_map_by_name(l->object, "law");
}

static int load_object(struct loading *l, const char *law, struct weir_err *err)
{
    int code;
    (void)bpf_map__set_map_flags(law_map(l), bpf_map__map_flags(law_map(l)) | BY_LINK);
    code = bpf_object__load(l->object);
    if (code == -EEXIST)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s: the kernel has a law of this name", law);
    if (code != 0)
        return weir_fail(err, WEIR_E_RUN, NULL, "kernels from 6.10 on can", "%s: the kernel refuses its program: %s",
                         law, strerror(-code));
    return 0;
}

static int put_keys(const struct loading *l, const struct weir_tcp_keys *keys, struct weir_err *err)
{
    uint32_t zero = 0;
    int code = bpf_map_update_elem(bpf_object__find_map_fd_by_name(l->object, "keys"), &zero, keys, BPF_ANY);
    return code == 0 ? 0 : weir_fail(err, WEIR_E_RUN, NULL, NULL, "the keys cannot be written: %s", strerror(-code));
}

/* Attaches the programs that work on sockets, if the law has any. */
static int attach_hooks(struct loading *l, int cgroup, struct weir_err *err)
{
    for (size_t i = 0; i < HOOKS; i++) {
        struct bpf_program *program = bpf_object__find_program_by_name(l->object, hooks[i]);
        if (program == NULL)
            continue;
        l->hook[i] = bpf_program__attach_cgroup(program, cgroup);
        if (l->hook[i] == NULL)
            return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s cannot be attached to the cgroup: %s", hooks[i],
                             strerror(errno));
    }
    return 0;
}

static int create_link(int map)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.link_create.prog_fd = (uint32_t)map;
    attr.link_create.attach_type = ATTACH_STRUCT_OPS;
    return (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
}

/* Fails because a law could not be registered. hint: for other reasons than that the name is in use; NULL = none */
static int not_registered(const char *name, int error, const char *hint, struct weir_err *err)
{
    if (error == EEXIST)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "bpftool struct_ops list shows it; another program has loaded it",
                         "%s cannot be registered: the kernel has a law of this name", name);
    return weir_fail(err, WEIR_E_RUN, NULL, hint, "%s cannot be registered: %s", name, strerror(error));
}

/* Registers the law by a link. Older versions of libbpf fill the map and leave the link to us. */
static int attach_law(struct loading *l, const char *name, struct weir_err *err)
{
    struct bpf_link *filled = bpf_map__attach_struct_ops(law_map(l));
    if (filled == NULL)
        return not_registered(name, errno, NULL, err);
    if (libbpf_major_version() == 1 && libbpf_minor_version() < 2) {
        l->law_link = create_link(bpf_map__fd(law_map(l)));
        if (l->law_link < 0) {
            int error = errno;
            (void)bpf_link__destroy(filled);
            return not_registered(name, error, "kernels from 6.10 on can", err);
        }
        bpf_link__disconnect(filled);
    } else {
        l->law_link = dup(bpf_link__fd(filled));
    }
    (void)bpf_link__destroy(filled);
    return 0;
}

static int pin(int fd, const char *folder, const char *name, struct weir_err *err)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "%.64s/%.40s", folder, name);
    return bpf_obj_pin(fd, path) == 0
               ? 0
               : weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: cannot be pinned: %s", path, strerror(errno));
}

static int pin_all(struct loading *l, struct weir_err *err)
{
    int code = 0;
    for (size_t i = 0; i < MAPS && code == 0; i++) {
        int fd = bpf_object__find_map_fd_by_name(l->object, maps[i]);
        code = fd >= 0 ? pin(fd, l->folder, maps[i], err) : 0; /* a law without weights has no map of them */
    }
    for (size_t i = 0; i < HOOKS && code == 0; i++)
        if (l->hook[i] != NULL)
            code = pin(bpf_link__fd(l->hook[i]), l->folder, hooks[i], err);
    return code == 0 ? pin(l->law_link, l->folder, "law", err) : code;
}

static int make_folder(struct loading *l, const char *law, struct weir_err *err)
{
    int code = weir_pins_prepare(err);
    if (code != 0)
        return code;
    folder_of(law, l->folder, sizeof(l->folder));
    l->made_folder = mkdir(l->folder, 0700) == 0;
    if (l->made_folder)
        return 0;
    if (errno == EEXIST)
        return weir_fail(err, WEIR_E_BUSY, NULL, "if no other command is loading it now: weir tcp clean",
                         "%s: there is the rest of a load that was interrupted", l->folder);
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: cannot make the folder: %s", l->folder, strerror(errno));
}

static void close_all(struct loading *l, bool keep)
{
    struct weir_err ignored;
    if (!keep && l->made_folder)
        (void)weir_pins_remove(l->folder, &ignored);
    for (size_t i = 0; i < HOOKS; i++)
        (void)bpf_link__destroy(l->hook[i]);
    if (l->law_link >= 0)
        (void)close(l->law_link);
    bpf_object__close(l->object);
}

static int load_new(const struct weir_law_options *options, struct weir_law_loaded *loaded, struct weir_err *err)
{
    const char *law = loaded->protocol->name;
    struct loading l = { .law_link = -1 };
    int cgroup = weir_cgroup_open(options->cgroup, err), code;
    if (cgroup < 0)
        return -cgroup;
    code = make_folder(&l, law, err);
    if (code == 0)
        code = open_object(&l, law, err);
    if (code == 0)
        code = load_object(&l, law, err);
    if (code == 0)
        code = put_keys(&l, &loaded->keys, err);
    if (code == 0)
        code = attach_hooks(&l, cgroup, err);
    if (code == 0)
        code = attach_law(&l, loaded->name, err);
    loaded->has_option = l.hook[0] != NULL;
    if (code == 0)
        code = pin_all(&l, err);
    (void)close(cgroup);
    close_all(&l, code == 0);
    return code;
}

/* ---- what is loaded ---- */

int weir_law_open(const char *law, const char *name)
{
    char path[128];
    folder_of(law, path, sizeof(path));
    (void)snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%.40s", name);
    return bpf_obj_get(path);
}

/* Opens a map whose values have this size. A build with another size has another meaning of them. @return a descriptor;
 * negative if there is none */
static int open_map(const char *law, const char *name, size_t value_bytes)
{
    struct bpf_map_info info = { 0 };
    uint32_t size = sizeof(info);
    int map = weir_law_open(law, name);
    if (map < 0 || (bpf_obj_get_info_by_fd(map, &info, &size) == 0 && info.value_size == value_bytes))
        return map;
    (void)close(map);
    return -EPROTO;
}

static bool is_loaded(const char *law)
{
    int fd = weir_law_open(law, "law");
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

/* Sums the counters of all CPUs. */
static int read_counts(int map, struct weir_tcp_counts *sum)
{
    uint32_t zero = 0;
    int cpus = libbpf_num_possible_cpus(), code;
    struct weir_tcp_counts *each = cpus > 0 ? calloc((size_t)cpus, sizeof(*each)) : NULL;
    if (each == NULL)
        return -ENOMEM;
    code = bpf_map_lookup_elem(map, &zero, each);
    memset(sum, 0, sizeof(*sum));
    for (int i = 0; i < cpus && code == 0; i++) {
        const uint64_t *from = (const void *)&each[i];
        uint64_t *to = (void *)sum;
        for (size_t field = 0; field < sizeof(*sum) / sizeof(uint64_t); field++)
            to[field] += from[field];
    }
    free(each);
    return code;
}

static int not_loaded(const char *law, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, "weir tcp load loads one", "%.40s is not loaded", law);
}

int weir_law_status(const char *law, struct weir_law_loaded *loaded, struct weir_err *err)
{
    uint32_t zero = 0;
    int keys = open_map(law, "keys", sizeof(loaded->keys)), counts = open_map(law, "counts", sizeof(loaded->counts)),
        hook = weir_law_open(law, hooks[0]);
    int code = is_loaded(law) ? 0 : not_loaded(law, err);
    if (code == 0 && (keys < 0 || counts < 0))
        code =
            weir_fail(err, WEIR_E_CONFLICT, NULL, "weir tcp unload, or clean", "%s was loaded by another build", law);
    if (code == 0 &&
        (bpf_map_lookup_elem(keys, &zero, &loaded->keys) != 0 || read_counts(counts, &loaded->counts) != 0))
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: its maps cannot be read: %s", law, strerror(errno));
    loaded->has_option = hook >= 0;
    loaded->protocol = weir_protocols;
    while (loaded->protocol->name != NULL && strcmp(loaded->protocol->name, law) != 0)
        loaded->protocol++;
    (void)snprintf(loaded->name, sizeof(loaded->name), "weir_%.10s", law);
    const int fds[] = { keys, counts, hook };
    for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    return code;
}

/* Gives a law that is loaded other keys. */
static int change(struct weir_law_loaded *loaded, struct weir_err *err)
{
    const char *law = loaded->protocol->name;
    struct weir_law_loaded present;
    uint32_t zero = 0;
    int code = weir_law_status(law, &present, err), keys;
    if (code != 0)
        return code;
    if (strcmp(present.keys.build, loaded->keys.build) != 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir tcp unload, then load", "%s was loaded by another build, %s",
                         law, present.keys.build);
    loaded->keys.version = present.keys.version + 1;
    loaded->has_option = present.has_option;
    loaded->was_loaded = true;
    keys = weir_law_open(law, "keys");
    code = keys >= 0 ? bpf_map_update_elem(keys, &zero, &loaded->keys, BPF_ANY) : keys;
    if (keys >= 0)
        (void)close(keys);
    return code == 0
               ? 0
               : weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: its keys cannot be written: %s", law, strerror(-code));
}

int weir_law_load(const struct weir_law_options *options, struct weir_law_loaded *loaded, struct weir_err *err)
{
    memset(loaded, 0, sizeof(*loaded));
    int code = weir_law_keys_read(options, loaded, err);
    if (code == 0)
        code = weir_law_possible(err);
    if (code == 0)
        code = weir_netns_cookie(options->netns, &loaded->keys.netns_cookie, err);
    if (code != 0)
        return code;
    (void)snprintf(loaded->keys.build, sizeof(loaded->keys.build), "%s %.24s", WEIR_VERSION, WEIR_COMMIT);
    int lock = weir_pins_lock(err);
    if (lock < 0)
        return -lock;
    if (!is_loaded(loaded->protocol->name))
        code = load_new(options, loaded, err);
    else if (options->cgroup != NULL)
        code = weir_fail(err, WEIR_E_CONFLICT, NULL, "weir tcp unload, then load",
                         "%s is loaded, and its cgroup cannot be changed", loaded->protocol->name);
    else
        code = change(loaded, err);
    (void)close(lock);
    return code;
}

/* Tests whether the kernel still has a map: it is gone when the last socket has left the law. */
static bool map_lives(uint32_t id)
{
    for (int i = 0; i < 50; i++) {
        int fd = bpf_map_get_fd_by_id(id);
        if (fd < 0)
            return false;
        (void)close(fd);
        (void)usleep(1000); /* maps are freed after a grace period */
    }
    return true;
}

int weir_law_unload(const char *law, bool *lives, struct weir_err *err)
{
    char folder[64];
    struct bpf_map_info info = { 0 };
    uint32_t size = sizeof(info);
    int code = weir_law_possible(err), lock = code == 0 ? weir_pins_lock(err) : -code;
    if (lock < 0)
        return -lock;
    int keys = weir_law_open(law, "keys");
    if (!is_loaded(law)) {
        if (keys >= 0)
            (void)close(keys);
        (void)close(lock);
        return not_loaded(law, err);
    }
    (void)bpf_obj_get_info_by_fd(keys, &info, &size);
    (void)close(keys);
    folder_of(law, folder, sizeof(folder));
    code = weir_pins_remove(folder, err);
    (void)close(lock);
    *lives = code == 0 && info.id != 0 && map_lives(info.id);
    return code;
}

/* Sets the value of a cgroup in a map of a law. value: NULL = removes it. */
static int put_of_cgroup(const char *law, const char *name, size_t size, uint64_t cgroup, const void *value,
                         struct weir_err *err)
{
    int code = weir_law_possible(err), map;
    if (code != 0)
        return code;
    map = open_map(law, name, size);
    if (map < 0)
        return is_loaded(law) ? weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s has no weights", law)
                              : not_loaded(law, err);
    code = value != NULL ? bpf_map_update_elem(map, &cgroup, value, BPF_ANY) : bpf_map_delete_elem(map, &cgroup);
    (void)close(map);
    if (code == 0 || (value == NULL && code == -ENOENT))
        return 0;
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: %s cannot be written: %s", law, name, strerror(-code));
}

int weir_law_weigh_cgroup(const char *law, uint64_t cgroup, uint32_t weight_milli, struct weir_err *err)
{
    return put_of_cgroup(law, "weights", sizeof(weight_milli), cgroup, weight_milli != 0 ? &weight_milli : NULL, err);
}

int weir_law_budget_cgroup(const char *law, uint64_t cgroup, uint64_t limit_milli, struct weir_err *err)
{
    struct weir_tcp_budget budget = { 0 };
    int map = open_map(law, "budgets", sizeof(budget));
    if (map >= 0) { /* what is used goes on, with another limit */
        (void)bpf_map_lookup_elem(map, &cgroup, &budget);
        (void)close(map);
    }
    budget.limit_milli = limit_milli != 0 ? limit_milli : UINT64_MAX;
    return put_of_cgroup(law, "budgets", sizeof(budget), cgroup, &budget, err);
}

bool weir_law_next_budget(const char *law, uint64_t *cgroup, struct weir_tcp_budget *budget)
{
    int map = open_map(law, "budgets", sizeof(*budget));
    bool found = map >= 0 && bpf_map_get_next_key(map, *cgroup != 0 ? cgroup : NULL, cgroup) == 0 &&
                 bpf_map_lookup_elem(map, cgroup, budget) == 0;
    if (map >= 0)
        (void)close(map);
    return found;
}

int weir_law_clean(uint32_t *removed, struct weir_err *err)
{
    int code = weir_law_possible(err), lock;
    *removed = 0;
    if (code != 0 || access(WEIR_PINS, F_OK) != 0)
        return code;
    lock = weir_pins_lock(err);
    if (lock < 0)
        return -lock;
    for (size_t i = 0; weir_law_at(i) != NULL && code == 0; i++) {
        char folder[64];
        folder_of(weir_law_at(i), folder, sizeof(folder));
        if (access(folder, F_OK) != 0)
            continue;
        code = weir_pins_remove(folder, err);
        *removed += code == 0;
    }
    (void)rmdir(WEIR_PINS); /* of a load that had made nothing else */
    (void)close(lock);
    return code;
}
