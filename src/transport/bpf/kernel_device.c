/* src/transport/bpf/kernel_device.c - see kernel_device.h. Changes are made by `ip` and `tc`. */
#define _GNU_SOURCE
#include "bpf/kernel_device.h"
#include "bpf/kernel_run.h"
#include "raw/device.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINE = 256, BURST_MIN_BYTES = 7600, BURSTS_PER_SECOND = 4000 };

/* --- programs --- */

/* Runs one command of `ip` or `tc`, and reads what it prints. @return false = it failed; text is empty then */
static bool read_command(const char *program, const char *command, char *text, size_t size)
{
    FILE *commands = tmpfile(), *out = tmpfile();
    struct weir_err ignored;
    bool done = commands != NULL && out != NULL && fprintf(commands, "%s\n", command) > 0 &&
                weir_kernel_run(program, commands, out, &ignored) == 0;
    text[0] = '\0';
    if (done) {
        rewind(out);
        text[fread(text, 1, size - 1, out)] = '\0';
    }
    if (commands != NULL)
        (void)fclose(commands);
    if (out != NULL)
        (void)fclose(out);
    return done;
}

bool weir_kernel_tc_prints(const char *command, const char *text)
{
    char printed[4096];
    (void)read_command("tc", command, printed, sizeof(printed));
    return text[0] == '\0' ? printed[0] != '\0' : strstr(printed, text) != NULL;
}

/* --- what devices are --- */

static int check_device(struct weir_switch_port *port, uint32_t *mtu, struct weir_err *err)
{
    const char *name = port->device_name;
    char command[LINE];
    struct weir_raw_device found;
    int code = weir_raw_device_read(&found, name, err);
    if (code != 0)
        return code;
    port->device = found.index;
    if (found.lro)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "ethtool -K DEVICE lro off",
                         "%s joins segments as it receives them (large-receive-offload)", name);
    (void)snprintf(command, sizeof(command), "qdisc show dev %s", name);
    port->had_clsact =
        weir_kernel_tc_prints(command, "qdisc clsact") || weir_kernel_tc_prints(command, "qdisc ingress");
    port->was_up = found.is_up;
    port->was_promiscuous = found.is_promiscuous;
    *mtu = found.mtu_bytes;
    return 0;
}

int weir_kernel_devices_check(struct weir_kernel_switch *sw, uint32_t *mtu, struct weir_err *err)
{
    for (uint32_t i = 0; i < sw->keys.port_count; i++) {
        struct weir_switch_port *port = &sw->port[i];
        uint32_t own_mtu = 0;
        int code = check_device(port, &own_mtu, err);
        if (code != 0)
            return code;
        for (uint32_t k = 0; k < i; k++)
            if (sw->port[k].device == port->device)
                return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s is the port of two hosts, %s and %s",
                                 port->device_name, sw->port[k].host, port->host);
        if (i > 0 && own_mtu != *mtu)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "ip link set DEVICE mtu N",
                             "the MTU of %s is %u, and that of %s %u", sw->port[0].device_name, *mtu, port->device_name,
                             own_mtu);
        *mtu = own_mtu;
    }
    return 0;
}

/* --- changes --- */

/* Opens the files of sysfs as this namespace has them, without a place in the tree: /sys shows the namespace in which
 * it was mounted. @return a file descriptor; negative = it cannot be had */
static int open_sysfs(void)
{
    enum { CREATE = 6 }; /* FSCONFIG_CMD_CREATE */
    int fs = (int)syscall(SYS_fsopen, "sysfs", 1u), mount = -1;
    if (fs >= 0 && syscall(SYS_fsconfig, fs, CREATE, NULL, NULL, 0) == 0)
        mount = (int)syscall(SYS_fsmount, fs, 1u, 0u);
    if (fs >= 0)
        (void)close(fs);
    return mount;
}

/* Makes one processor receive all frames of a pair: else two could take them out of order. The ports share out the
 * processors. Without the right to do so frames may come out of order, as from other virtual devices. */
static void steer(uint32_t count)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int sysfs = open_sysfs();
    uint32_t most = cpus > 0 && cpus < 32 ? (uint32_t)cpus : 32;
    for (uint32_t i = 0; i < count && sysfs >= 0; i++) {
        char path[LINE], mask[32];
        (void)snprintf(path, sizeof(path), "class/net/%s%u/queues/rx-0/rps_cpus", WEIR_SWITCH_AFTER, i);
        int fd = openat(sysfs, path, O_WRONLY | O_CLOEXEC);
        int length = snprintf(mask, sizeof(mask), "%x", 1u << i % most);
        if (fd < 0)
            continue;
        if (write(fd, mask, (size_t)length) != length) { /* a kernel without it */
        }
        (void)close(fd);
    }
    if (sysfs >= 0)
        (void)close(sysfs);
}

/* Runs the commands that write() prints for each port. @return 0, or a code with err */
static int for_ports(const char *program, const struct weir_kernel_switch *sw, uint32_t mtu,
                     void (*write)(FILE *to, const struct weir_switch_port *port, uint32_t number, uint32_t mtu),
                     struct weir_err *err)
{
    FILE *commands = tmpfile();
    int code;
    for (uint32_t i = 0; i < sw->keys.port_count && commands != NULL; i++)
        write(commands, &sw->port[i], i, mtu);
    code = weir_kernel_run(program, commands, NULL, err);
    if (commands != NULL)
        (void)fclose(commands);
    return code;
}

static void write_add(FILE *to, const struct weir_switch_port *port, uint32_t number, uint32_t mtu)
{
    (void)port;
    (void)fprintf(to, "link add %s%u mtu %u type veth peer name %s%u mtu %u\n", WEIR_SWITCH_QUEUE, number, mtu,
                  WEIR_SWITCH_AFTER, number, mtu);
}

/* Writes the commands that bring a pair up. With gso_max_segs 1 the many segments that a host hands over at once leave
 * the queue as the frames that they are. */
static void write_up(FILE *to, const struct weir_switch_port *port, uint32_t number, uint32_t mtu)
{
    (void)port, (void)mtu;
    (void)fprintf(to, "link set %s%u arp off gso_max_segs 1 up\n", WEIR_SWITCH_QUEUE, number);
    (void)fprintf(to, "link set %s%u arp off up\n", WEIR_SWITCH_AFTER, number);
}

/* Writes the command that makes a queue. The bucket holds what the port sends in 250 us, and at least five full frames
 * of 1500 bytes: then timers that are late cost no throughput. */
static void write_queue(FILE *to, const struct weir_switch_port *port, uint32_t number, uint32_t mtu)
{
    uint64_t burst_bytes = weir_max_u64(BURST_MIN_BYTES, port->rate_bps / 8 / BURSTS_PER_SECOND);
    burst_bytes = weir_max_u64(burst_bytes, UINT64_C(2) * mtu + 36);
    (void)fprintf(to, "qdisc add dev %s%u root tbf rate %" PRIu64 "bit burst %" PRIu64 "b limit %" PRIu64 "b\n",
                  WEIR_SWITCH_QUEUE, number, port->rate_bps, burst_bytes, port->limit_bytes);
}

static void write_open(FILE *to, const struct weir_switch_port *port, uint32_t number, uint32_t mtu)
{
    (void)number, (void)mtu;
    (void)fprintf(to, "link set %s promisc on up\n", port->device_name);
}

int weir_kernel_devices_make(struct weir_kernel_switch *sw, uint32_t mtu, struct weir_err *err)
{
    int code = for_ports("ip", sw, mtu, write_add, err);
    for (uint32_t i = 0; i < sw->keys.port_count && code == 0; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "%s%u", WEIR_SWITCH_QUEUE, i);
        weir_raw_device_without_ipv6(name);
        sw->port[i].queue = if_nametoindex(name);
        (void)snprintf(name, sizeof(name), "%s%u", WEIR_SWITCH_AFTER, i);
        weir_raw_device_without_ipv6(name);
        sw->port[i].after = if_nametoindex(name);
    }
    if (code == 0)
        steer(sw->keys.port_count);
    if (code == 0)
        code = for_ports("ip", sw, mtu, write_up, err);
    return code != 0 ? code : for_ports("tc", sw, mtu, write_queue, err);
}

int weir_kernel_devices_open(const struct weir_kernel_switch *sw, struct weir_err *err)
{
    return for_ports("ip", sw, 0, write_open, err);
}

void weir_kernel_device_restore(const struct weir_switch_port *port)
{
    char name[IF_NAMESIZE];
    FILE *commands = tmpfile();
    struct weir_err ignored;
    if (commands != NULL && if_indextoname(port->device, name) != NULL) {
        (void)fprintf(commands, "link set %s promisc %s %s\n", name, port->was_promiscuous ? "on" : "off",
                      port->was_up ? "up" : "down");
        (void)weir_kernel_run("ip", commands, NULL, &ignored);
    }
    if (commands != NULL)
        (void)fclose(commands);
}

uint32_t weir_kernel_devices_delete(void)
{
    FILE *commands = tmpfile();
    struct weir_err ignored;
    uint32_t found = 0;
    for (uint32_t i = 0; i < WEIR_SWITCH_PORTS_MAX && commands != NULL; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "%s%u", WEIR_SWITCH_QUEUE, i);
        if (if_nametoindex(name) == 0)
            continue;
        found++;
        (void)fprintf(commands, "link del %s\n", name);
    }
    if (found > 0)
        (void)weir_kernel_run("ip", commands, NULL, &ignored);
    if (commands != NULL)
        (void)fclose(commands);
    return found;
}

/* Returns the number behind a key in JSON; 0 = there is no such key. */
static uint64_t number_of(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    return at != NULL ? strtoull(at + strlen(key), NULL, 10) : 0;
}

bool weir_kernel_queue(uint32_t number, uint64_t *bytes, uint64_t *dropped)
{
    char command[LINE], text[4096];
    const char *argv[] = { "tc", "-s", "-j", "qdisc", "show", "dev", command, "root", NULL };
    FILE *out = tmpfile(), *said = tmpfile();
    struct weir_err ignored;
    bool done;
    (void)snprintf(command, sizeof(command), "%s%u", WEIR_SWITCH_QUEUE, number);
    done = out != NULL && said != NULL && weir_kernel_run_args("tc", argv, out, said, &ignored) == 0;
    if (done) {
        rewind(out);
        text[fread(text, 1, sizeof(text) - 1, out)] = '\0';
        *bytes = number_of(text, "\"backlog\":");
        *dropped = number_of(text, "\"drops\":");
    }
    if (out != NULL)
        (void)fclose(out);
    if (said != NULL)
        (void)fclose(said);
    return done;
}
