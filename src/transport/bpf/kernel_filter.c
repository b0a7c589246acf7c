/* src/transport/bpf/kernel_filter.c - see kernel_filter.h. */
#define _GNU_SOURCE
#include "bpf/kernel_filter.h"
#include "bpf/kernel_device.h"
#include "bpf/objects.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOT = 1, MAPS_MAX = 16, LINE = 256 }; /* SLOT: priority and handle of our filters */

static const struct hook { /* by enum weir_switch_at */
    const char *program;
    enum bpf_tc_attach_point point;
} hooks[] = {
    [WEIR_SWITCH_ENTER] = { "weir_sw_enter", BPF_TC_INGRESS },
    [WEIR_SWITCH_JOIN] = { "weir_sw_join", BPF_TC_EGRESS },
    [WEIR_SWITCH_LEAVE] = { "weir_sw_leave", BPF_TC_INGRESS },
};

static uint32_t device_at(const struct weir_switch_port *port, enum weir_switch_at at)
{
    if (at == WEIR_SWITCH_ENTER)
        return port->device;
    return at == WEIR_SWITCH_JOIN ? port->queue : port->after;
}

/* --- load --- */

static const struct weir_bpf_object *find_object(const char *name)
{
    for (const struct weir_bpf_object *o = weir_bpf_objects; o->name != NULL; o++)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

static int say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
    (void)level, (void)format, (void)args;
    return 0;
}

static int map_of(struct bpf_object *object, const char *name)
{
    return bpf_object__find_map_fd_by_name(object, name);
}

static bool put(struct bpf_object *object, const char *map, const uint32_t *key, const void *value)
{
    return bpf_map_update_elem(map_of(object, map), key, value, BPF_ANY) == 0;
}

static bool fill(const struct weir_kernel_switch *sw, struct bpf_object *object)
{
    const uint32_t zero = 0;
    bool done = put(object, "keys", &zero, &sw->keys);
    for (uint32_t i = 0; i < sw->keys.port_count && done; i++) {
        const struct weir_switch_port *port = &sw->port[i];
        done = put(object, "ports", &i, port) && put(object, "devices", &port->device, &i) &&
               put(object, "devices", &port->queue, &i) && put(object, "devices", &port->after, &i);
        if (port->address != 0)
            done = done && put(object, "addresses", &port->address, &i);
    }
    return done;
}

int weir_kernel_filters_load(const struct weir_kernel_switch *sw, struct bpf_object **object, struct weir_err *err)
{
    const struct weir_bpf_object *image = find_object("switch");
    const uint32_t cells = sw->keys.rpm_model.entries;
    int error = 0;
    (void)libbpf_set_print(say_nothing);
    *object = image != NULL ? bpf_object__open_mem(image->bytes, image->size, NULL) : NULL;
    if (*object == NULL)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "the switch's programs cannot be read: %s", strerror(errno));
    error = bpf_map__set_max_entries(bpf_object__find_map_by_name(*object, "cells"),
                                     cells > 0 ? cells : WEIR_SWITCH_PORTS_MAX);
    if (error == 0)
        error = bpf_object__load(*object);
    if (error == 0 && fill(sw, *object))
        return 0;
    bpf_object__close(*object);
    *object = NULL;
    return weir_fail(err, WEIR_E_RUN, NULL, "it takes Linux 6.2 or later",
                     "the kernel refuses the switch's programs: %s", strerror(error != 0 ? -error : errno));
}

void weir_kernel_filters_close(struct bpf_object *object)
{
    bpf_object__close(object);
}

/* --- attach --- */

/* Sets a hook of a device, and the options of our filter there. libbpf refuses a struct with a byte other than 0 behind
 * its last field, and a compiler need not clear such a byte where fields are initialised. */
static void hook_set(struct bpf_tc_hook *hook, struct bpf_tc_opts *opts, uint32_t device,
                     enum bpf_tc_attach_point point)
{
    memset(hook, 0, sizeof(*hook));
    hook->sz = sizeof(*hook);
    hook->ifindex = (int)device;
    hook->attach_point = point;
    memset(opts, 0, sizeof(*opts));
    opts->sz = sizeof(*opts);
    opts->handle = opts->priority = SLOT;
}

int weir_kernel_filters_attach(const struct weir_kernel_switch *sw, struct bpf_object *object, enum weir_switch_at at,
                               struct weir_err *err)
{
    const struct bpf_program *program = bpf_object__find_program_by_name(object, hooks[at].program);
    for (uint32_t i = 0; i < sw->keys.port_count; i++) {
        char name[IF_NAMESIZE] = "";
        struct bpf_tc_hook hook;
        struct bpf_tc_opts opts;
        int error;
        hook_set(&hook, &opts, device_at(&sw->port[i], at), BPF_TC_INGRESS | BPF_TC_EGRESS);
        opts.prog_fd = bpf_program__fd(program);
        error = bpf_tc_hook_create(&hook);
        hook.attach_point = hooks[at].point;
        if (error == 0 || error == -EEXIST)
            error = bpf_tc_attach(&hook, &opts);
        if (error == 0)
            continue;
        (void)if_indextoname((uint32_t)hook.ifindex, name);
        if (error == -EEXIST)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "tc filter show dev DEVICE ingress shows it",
                             "%s has a filter of somebody else in the first place", name);
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: the kernel refuses our filter: %s", name, strerror(-error));
    }
    return 0;
}

/* --- find --- */

/* Opens our program at a device. @return its file descriptor; -1 = it is not there */
static int open_program(uint32_t device, enum weir_switch_at at)
{
    struct bpf_tc_hook hook;
    struct bpf_tc_opts opts;
    struct bpf_prog_info info = { 0 };
    uint32_t size = sizeof(info);
    int fd;
    hook_set(&hook, &opts, device, hooks[at].point);
    (void)libbpf_set_print(say_nothing);
    if (bpf_tc_query(&hook, &opts) != 0 || (fd = bpf_prog_get_fd_by_id(opts.prog_id)) < 0)
        return -1;
    if (bpf_obj_get_info_by_fd(fd, &info, &size) == 0 && strcmp(info.name, hooks[at].program) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

static void open_map(struct weir_switch_maps *maps, uint32_t id)
{
    const struct {
        const char *name;
        int *fd;
    } wanted[] = {
        { "keys", &maps->keys }, { "ports", &maps->ports }, { "counts", &maps->counts }, { "cells", &maps->cells }
    };
    struct bpf_map_info info = { 0 };
    uint32_t size = sizeof(info);
    int fd = bpf_map_get_fd_by_id(id);
    if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) != 0)
        info.name[0] = '\0';
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (fd >= 0 && strcmp(info.name, wanted[i].name) == 0) {
            *wanted[i].fd = fd;
            return;
        }
    if (fd >= 0)
        (void)close(fd);
}

/* Opens the maps of a program. @return false = it is none of a switch */
static bool open_maps(int program, struct weir_switch_maps *maps)
{
    uint32_t id[MAPS_MAX], size;
    struct bpf_prog_info info = { .nr_map_ids = MAPS_MAX, .map_ids = (uintptr_t)id };
    *maps = (struct weir_switch_maps){ -1, -1, -1, -1 };
    size = sizeof(info);
    if (bpf_obj_get_info_by_fd(program, &info, &size) != 0)
        return false;
    for (uint32_t i = 0; i < info.nr_map_ids && i < MAPS_MAX; i++)
        open_map(maps, id[i]);
    if (maps->keys >= 0 && maps->ports >= 0 && maps->counts >= 0 && maps->cells >= 0)
        return true;
    weir_kernel_maps_close(maps);
    return false;
}

bool weir_kernel_maps_find(struct weir_switch_maps *maps)
{
    struct if_nameindex *devices = if_nameindex();
    bool found = false;
    for (const struct if_nameindex *d = devices; d != NULL && d->if_index != 0 && !found; d++)
        for (int at = WEIR_SWITCH_ENTER; at <= WEIR_SWITCH_LEAVE && !found; at += WEIR_SWITCH_LEAVE) {
            int program = open_program(d->if_index, (enum weir_switch_at)at);
            found = program >= 0 && open_maps(program, maps);
            if (program >= 0)
                (void)close(program);
        }
    if_freenameindex(devices);
    return found;
}

void weir_kernel_maps_close(struct weir_switch_maps *maps)
{
    const int fds[] = { maps->keys, maps->ports, maps->counts, maps->cells };
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
}

/* --- detach --- */

void weir_kernel_filter_detach(const struct weir_switch_port *port)
{
    struct bpf_tc_hook hook;
    struct bpf_tc_opts opts;
    char name[IF_NAMESIZE], in[LINE], out[LINE];
    int program = open_program(port->device, WEIR_SWITCH_ENTER);
    hook_set(&hook, &opts, port->device, BPF_TC_INGRESS);
    if (program >= 0) {
        (void)close(program);
        (void)bpf_tc_detach(&hook, &opts);
    }
    if (port->had_clsact || if_indextoname(port->device, name) == NULL)
        return;
    (void)snprintf(in, sizeof(in), "filter show dev %s ingress", name);
    (void)snprintf(out, sizeof(out), "filter show dev %s egress", name);
    if (weir_kernel_tc_prints(in, "") || weir_kernel_tc_prints(out, ""))
        return; /* somebody else uses it by now */
    hook.attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS;
    (void)bpf_tc_hook_destroy(&hook);
}

uint32_t weir_kernel_filters_sweep(void)
{
    struct if_nameindex *devices = if_nameindex();
    uint32_t found = 0;
    for (const struct if_nameindex *d = devices; d != NULL && d->if_index != 0; d++) {
        int program = open_program(d->if_index, WEIR_SWITCH_ENTER);
        if (program < 0)
            continue;
        (void)close(program);
        weir_kernel_filter_detach(&(struct weir_switch_port){ .device = d->if_index });
        found++;
    }
    if_freenameindex(devices);
    return found;
}

/* --- read --- */

bool weir_kernel_maps_read(const struct weir_switch_maps *maps, struct weir_switch_keys *keys,
                           struct weir_switch_port port[WEIR_SWITCH_PORTS_MAX])
{
    const struct {
        int fd;
        size_t size;
    } values[] = { { maps->keys, sizeof(*keys) },
                   { maps->ports, sizeof(port[0]) },
                   { maps->counts, sizeof(struct weir_switch_counts) } };
    const uint32_t zero = 0;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct bpf_map_info info = { 0 };
        uint32_t size = sizeof(info);
        if (bpf_obj_get_info_by_fd(values[i].fd, &info, &size) != 0 || info.value_size != values[i].size)
            return false;
    }
    if (bpf_map_lookup_elem(maps->keys, &zero, keys) != 0 || keys->port_count > WEIR_SWITCH_PORTS_MAX)
        return false;
    for (uint32_t i = 0; i < keys->port_count; i++)
        if (bpf_map_lookup_elem(maps->ports, &i, &port[i]) != 0)
            return false;
    return true;
}

/* Returns the earlier of two times, of which 0 is none. */
static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a == 0 || b == 0 ? a | b : weir_min_u64(a, b);
}

bool weir_kernel_maps_counts(const struct weir_switch_maps *maps, uint32_t number, struct weir_switch_counts *sum)
{
    enum { FIELDS = sizeof(*sum) / sizeof(uint64_t) };
    int cpus = libbpf_num_possible_cpus();
    struct weir_switch_counts *each = cpus > 0 ? calloc((size_t)cpus, sizeof(*each)) : NULL;
    uint64_t *total = (uint64_t *)(void *)sum;
    bool done = each != NULL && bpf_map_lookup_elem(maps->counts, &number, each) == 0;
    *sum = (struct weir_switch_counts){ 0 };
    for (int c = 0; c < cpus && done; c++) {
        const uint64_t *field = (const uint64_t *)(const void *)&each[c];
        uint64_t queue_max = weir_max_u64(sum->queue_max_bytes, each[c].queue_max_bytes);
        uint64_t sojourn_max = weir_max_u64(sum->sojourn_max_ns, each[c].sojourn_max_ns);
        uint64_t first = earlier(sum->first_event_ns, each[c].first_event_ns);
        for (size_t i = 0; i < FIELDS; i++)
            total[i] += field[i];
        sum->first_event_ns = first;
        sum->queue_max_bytes = queue_max;
        sum->sojourn_max_ns = sojourn_max;
    }
    free(each);
    return done;
}
_Static_assert(sizeof(struct weir_switch_counts) % sizeof(uint64_t) == 0,
               "all fields have 64 bits, and are summed as such");

uint64_t weir_kernel_maps_left(const struct weir_switch_maps *maps)
{
    struct { /* a value of the map: switch_maps.h */
        uint32_t lock;
        struct weir_rpm_cell rpm;
    } cell;
    struct bpf_map_info info = { 0 };
    uint32_t size = sizeof(info);
    uint64_t left = 0;
    if (bpf_obj_get_info_by_fd(maps->cells, &info, &size) != 0 || info.value_size != sizeof(cell))
        return 0;
    for (uint32_t i = 0; i < info.max_entries; i++)
        if (bpf_map_lookup_elem(maps->cells, &i, &cell) == 0)
            left += cell.rpm.count;
    return left;
}
