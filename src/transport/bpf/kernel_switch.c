/* src/transport/bpf/kernel_switch.c - see kernel_switch.h. */
#include "bpf/kernel_switch.h"
#ifdef WEIR_HAVE_BPF
#include "bpf/kernel_device.h"
#include "bpf/kernel_filter.h"
#include <net/if.h>
#include <unistd.h>

static int check_root(struct weir_err *err)
{
    return geteuid() == 0 ? 0
                          : weir_fail(err, WEIR_E_CONFLICT, NULL, "run it as root, or by sudo",
                                      "a switch in the kernel needs root");
}

static int check_kernel(struct weir_err *err)
{
    int code = check_root(err);
    if (code == 0 && access("/sys/kernel/btf/vmlinux", R_OK) != 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "a kernel built with CONFIG_DEBUG_INFO_BTF has them",
                         "this kernel does not describe its types (BTF), which programs in it need");
    return code;
}

static int check_free(struct weir_err *err)
{
    struct weir_switch_maps maps;
    if (weir_kernel_maps_find(&maps)) {
        weir_kernel_maps_close(&maps);
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch stop ends it", "a switch is running here already");
    }
    if (if_nametoindex(WEIR_SWITCH_QUEUE "0") != 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch clean removes it",
                         "something is left here of a switch that did not end well");
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

int weir_kernel_switch_start(struct weir_kernel_switch *sw, struct weir_err *err)
{
    struct bpf_object *object = NULL;
    uint32_t mtu = 0;
    int code = check_kernel(err);
    WEIR_ASSERT(sw->keys.port_count >= 2);
    WEIR_ASSERT(sw->keys.port_count <= WEIR_SWITCH_PORTS_MAX);
    if (code == 0)
        code = weir_kernel_devices_check(sw, &mtu, err);
    if (code == 0)
        code = check_free(err);
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

static int find(struct weir_switch_maps *maps, struct weir_err *err)
{
    int code = check_root(err);
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
    int code = find(&maps, err);
    if (code != 0)
        return code;
    *ports = take_down(&maps);
    (void)weir_kernel_devices_delete();
    return 0;
}

int weir_kernel_switch_clean(uint32_t *removed, struct weir_err *err)
{
    int code = check_root(err);
    if (code == 0)
        *removed = clean();
    return code;
}
#else
static int refuse(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "meson setup -Dbpf=enabled says what it takes",
                     "this build of Weir has no programs for the kernel (BPF)");
}

int weir_kernel_switch_start(struct weir_kernel_switch *sw, struct weir_err *err)
{
    (void)sw;
    return refuse(err);
}

int weir_kernel_switch_status(struct weir_kernel_status *status, struct weir_err *err)
{
    (void)status;
    return refuse(err);
}

int weir_kernel_switch_stop(uint32_t *ports, struct weir_err *err)
{
    (void)ports;
    return refuse(err);
}

int weir_kernel_switch_clean(uint32_t *removed, struct weir_err *err)
{
    (void)removed;
    return refuse(err);
}
#endif
