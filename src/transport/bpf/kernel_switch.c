/* src/transport/bpf/kernel_switch.c - see kernel_switch.h. */
#include "bpf/kernel_switch.h"
#include "bpf/kernel_device.h"
#include "bpf/kernel_filter.h"
#include "bpf/law_loader.h"
#include "text/clock.h"
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 200, TRY_NS = 10000000 };

/* Makes sure that no other process changes the switch of this namespace: by a socket's name without a file, which a
 * namespace has once. `ip` and `tc` inherit the socket, so the name is free when a killed process and its child have
 * ended. Waits two seconds for that. *lock: gets the socket, for close(). @return 0, or a code with err */
static int lock_switch(int *lock, struct weir_err *err)
{
    static const char name[] = "weir-switch";
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof(name));
    memcpy(address.sun_path + 1, name, sizeof(name) - 1);
    *lock = socket(AF_UNIX, SOCK_STREAM, 0);
    if (*lock < 0)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "no socket: %s", strerror(errno));
    for (int i = 0; i < TRIES; i++) {
        if (bind(*lock, (const struct sockaddr *)(const void *)&address, size) == 0)
            return 0;
        (void)nanosleep(&(struct timespec){ .tv_nsec = TRY_NS }, NULL);
    }
    (void)close(*lock);
    return weir_fail(err, WEIR_E_BUSY, NULL, "try again", "another weir switch is at work here");
}

static int check_free(struct weir_err *err)
{
    struct weir_switch_maps maps;
    if (weir_kernel_maps_find(&maps)) {
        weir_kernel_maps_close(&maps);
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch stop ends it", "a switch is running here already");
    }
    for (uint32_t i = 0; i < WEIR_SWITCH_PORTS_MAX; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "%s%u", WEIR_SWITCH_QUEUE, i);
        if (if_nametoindex(name) != 0)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch clean removes it",
                             "%s is left here of a switch that did not end well", name);
    }
    return 0;
}

/* Ends the switch of these maps, and makes devices what they were: first the programs go by which frames enter. @return
 * the number of ports */
static uint32_t take_down(struct weir_switch_maps *maps)
{
    struct weir_switch_keys keys;
    struct weir_switch_port port[WEIR_SWITCH_PORTS_MAX];
    uint32_t count = weir_kernel_maps_read(maps, &keys, port) ? keys.port_count : 0;
    for (uint32_t i = 0; i < count; i++)
        weir_kernel_filter_detach(&port[i]);
    for (uint32_t i = 0; i < count; i++)
        weir_kernel_device_restore(&port[i]);
    weir_kernel_maps_close(maps);
    return count;
}

static uint32_t clean(void)
{
    struct weir_switch_maps maps;
    uint32_t removed = weir_kernel_maps_find(&maps) ? take_down(&maps) : 0;
    removed += weir_kernel_filters_sweep();
    return removed + weir_kernel_devices_delete();
}

/* Attaches the programs and opens the ports. The programs behind the queues come first: by them a switch is found, and
 * how its devices were. */
static int attach(const struct weir_kernel_switch *sw, struct bpf_object *object, struct weir_err *err)
{
    int code = weir_kernel_filters_attach(sw, object, WEIR_SWITCH_LEAVE, err);
    if (code == 0)
        code = weir_kernel_filters_attach(sw, object, WEIR_SWITCH_JOIN, err);
    if (code == 0)
        code = weir_kernel_filters_attach(sw, object, WEIR_SWITCH_ENTER, err);
    return code != 0 ? code : weir_kernel_devices_open(sw, err);
}

/* Starts the switch, while no other process changes one. */
static int start(struct weir_kernel_switch *sw, struct weir_err *err)
{
    struct bpf_object *object = NULL;
    uint32_t mtu = 0;
    int code = check_free(err);
    if (code == 0)
        code = weir_kernel_devices_check(sw, &mtu, err);
    if (code != 0)
        return code;
    code = weir_kernel_devices_make(sw, mtu, err);
    if (code == 0)
        code = weir_kernel_filters_load(sw, &object, err);
    if (code == 0)
        code = attach(sw, object, err);
    if (code != 0)
        (void)clean();
    weir_kernel_filters_close(object);
    return code;
}

int weir_kernel_switch_start(struct weir_kernel_switch *sw, struct weir_err *err)
{
    int lock, code = weir_law_possible(err);
    WEIR_ASSERT(sw->keys.port_count >= 2);
    WEIR_ASSERT(sw->keys.port_count <= WEIR_SWITCH_PORTS_MAX);
    if (code != 0 || (code = lock_switch(&lock, err)) != 0)
        return code;
    code = start(sw, err);
    (void)close(lock);
    return code;
}

static int find(struct weir_switch_maps *maps, struct weir_err *err)
{
    int code = weir_law_possible(err);
    if (code != 0 || weir_kernel_maps_find(maps))
        return code;
    return weir_fail(err, WEIR_E_CONFLICT, NULL,
                     "each network namespace has its own: ip netns exec NAME weir switch ..",
                     "no switch is running here");
}

int weir_kernel_switch_status(struct weir_kernel_status *status, struct weir_err *err)
{
    struct weir_switch_maps maps;
    struct weir_switch_port port[WEIR_SWITCH_PORTS_MAX];
    int code = find(&maps, err);
    if (code != 0)
        return code;
    *status = (struct weir_kernel_status){ 0 };
    if (!weir_kernel_maps_read(&maps, &status->keys, port))
        code =
            weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch clean ends it", "another build of Weir runs the switch");
    for (uint32_t i = 0; i < status->keys.port_count && code == 0; i++) {
        struct weir_kernel_port_status *p = &status->port[i];
        p->port = port[i];
        p->read_ns = weir_wall_ns(); /* as the programs in the kernel have it */
        if (!weir_kernel_maps_counts(&maps, i, &p->counts) || !weir_kernel_queue(i, &p->queue_bytes, &p->dropped))
            code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "port %s cannot be read", port[i].device_name);
    }
    if (code == 0 && status->keys.rpm)
        status->rpm_left = weir_kernel_maps_left(&maps);
    weir_kernel_maps_close(&maps);
    return code;
}

int weir_kernel_switch_stop(uint32_t *ports, struct weir_err *err)
{
    struct weir_switch_maps maps;
    int lock, code = weir_law_possible(err);
    if (code != 0 || (code = lock_switch(&lock, err)) != 0)
        return code;
    code = find(&maps, err);
    if (code == 0) {
        *ports = take_down(&maps);
        if (*ports > 0)
            (void)weir_kernel_devices_delete();
        else
            code =
                weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch clean", "the switch was started by another build");
    }
    (void)close(lock);
    return code;
}

int weir_kernel_switch_clean(uint32_t *removed, struct weir_err *err)
{
    int lock, code = weir_law_possible(err);
    if (code != 0 || (code = lock_switch(&lock, err)) != 0)
        return code;
    *removed = clean();
    (void)close(lock);
    return 0;
}
