/* src/commands/soft/home.c - see home.h. */
#define _GNU_SOURCE
#include "soft/home.h"
#include "bpf/kernel_run.h"
#include "bpf/pins.h"
#include "core/assert.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NETWORK "10.87.0" /* of the hosts that are made */
enum { LINE = 256, NAME = IF_NAMESIZE, MADE_MTU = 1500 };

/* ---- the note ---- */

static int fail_note(const char *path, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_RUN, NULL, errno == EACCES ? "this takes root" : NULL, "%s: %s", path,
                     strerror(errno));
}

/* Opens the note of this network namespace and locks it. */
static int open_note(struct weir_soft_home *home, struct weir_err *err)
{
    uint64_t cookie;
    struct stat found;
    int code = weir_netns_cookie(NULL, &cookie, err);
    if (code != 0)
        return code;
    if (mkdir(WEIR_SOFT_NOTES, 0700) != 0 && errno != EEXIST)
        return fail_note(WEIR_SOFT_NOTES, err);
    (void)snprintf(home->path, sizeof(home->path), "%s/switch-%" PRIu64, WEIR_SOFT_NOTES, cookie);
    home->note = open(home->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (home->note < 0 || flock(home->note, LOCK_EX | LOCK_NB) != 0 || fstat(home->note, &found) != 0)
        return fail_note(home->path, err);
    if (found.st_size == 0)
        return 0;
    (void)close(home->note);
    home->note = -1; /* it is not ours, and stays */
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch clean removes it",
                     "something is left here of a switch that did not end well");
}

static int note(const struct weir_soft_home *home, const char *line, struct weir_err *err)
{
    size_t length = strlen(line);
    WEIR_ASSERT(home->note >= 0);
    WEIR_ASSERT(length > 0 && line[length - 1] == '\n');
    return write(home->note, line, length) == (ssize_t)length ? 0 : fail_note(home->path, err);
}

static int note_device(const struct weir_soft_home *home, const struct weir_raw_device *d, struct weir_err *err)
{
    char line[LINE];
    (void)snprintf(line, sizeof(line), "device %s %u %d %d %d %d\n", d->name, d->index, d->is_up, d->lro, d->gro,
                   d->rx_vlan);
    return note(home, line, err);
}

static void close_note(struct weir_soft_home *home)
{
    if (home->note < 0)
        return;
    (void)unlink(home->path);
    (void)close(home->note);
    (void)rmdir(WEIR_SOFT_NOTES); /* stays if another switch has a note */
    home->note = -1;
}

/* ---- hosts that are made ---- */

static void host_names(uint32_t host, char *space, char *port, char *other)
{
    WEIR_ASSERT(host < WEIR_SOFT_MADE_MAX);
    (void)snprintf(space, NAME, "weir-h%u", host);
    (void)snprintf(port, NAME, "weir-p%u", host);
    (void)snprintf(other, NAME, "weir-e%u", host);
}

static bool has_namespace(const char *space)
{
    char path[LINE];
    struct stat found;
    (void)snprintf(path, sizeof(path), "/run/netns/%s", space);
    return lstat(path, &found) == 0;
}

/* Tests whether a namespace that is made here has a name for this process and its children alone: names are mounts, and
 * `ip netns exec` gives its program mounts of its own. */
static bool hides_names(void)
{
    struct stat own, first;
    return stat("/proc/self/ns/mnt", &own) == 0 && stat("/proc/1/ns/mnt", &first) == 0 && own.st_ino != first.st_ino;
}

static int check_names(uint32_t hosts, struct weir_err *err)
{
    char space[NAME], port[NAME], other[NAME];
    if (hides_names())
        return weir_fail(err, WEIR_E_CONFLICT, NULL,
                         "nsenter --net=/run/netns/NAME weir switch .. for a namespace of its own",
                         "nobody else would see the hosts that are made here (a mount namespace of its own, as `ip "
                         "netns exec` makes one)");
    if (hosts > WEIR_SOFT_MADE_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "switch: {ports: {host 0: eth1, ..}} names devices instead",
                         "switch: %u hosts; at most %u are made", hosts, WEIR_SOFT_MADE_MAX);
    for (uint32_t i = 0; i < hosts; i++) {
        host_names(i, space, port, other);
        if (has_namespace(space))
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "ip netns del NAME; or weir switch clean, if a switch left it",
                             "there is a network namespace %s already", space);
        if (if_nametoindex(port) != 0 || if_nametoindex(other) != 0)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "ip link del NAME; or weir switch clean, if a switch left it",
                             "there is a network device %s already", if_nametoindex(port) != 0 ? port : other);
    }
    return 0;
}

static int run_ip(FILE *commands, struct weir_err *err)
{
    int code = weir_kernel_run("ip", commands, NULL, err);
    if (commands != NULL)
        (void)fclose(commands);
    return code;
}

/* Makes one host: a pair of devices, whose other end goes into a namespace once it leaves nothing to hardware. */
static int make_host(uint32_t host, struct weir_soft_site *site, struct weir_err *err)
{
    char space[NAME], port[NAME], other[NAME];
    FILE *commands = tmpfile();
    int code;
    host_names(host, space, port, other);
    if (commands != NULL)
        (void)fprintf(commands, "netns add %s\nlink add %s mtu %d type veth peer name %s mtu %d\n", space, port,
                      MADE_MTU, other, MADE_MTU);
    code = run_ip(commands, err);
    if (code != 0)
        return code;
    weir_raw_device_without_ipv6(port);
    code = weir_raw_device_plain(other, err);
    if (code != 0)
        return code;
    commands = tmpfile();
    if (commands != NULL)
        (void)fprintf(commands,
                      "link set %s netns %s name eth0\n"
                      "netns exec %s ip address add " NETWORK ".%u/24 dev eth0\n"
                      "netns exec %s ip link set lo up\nnetns exec %s ip link set eth0 up\n",
                      other, space, space, host + 1, space, space);
    code = run_ip(commands, err);
    (void)snprintf(site->device, sizeof(site->device), "%s", port);
    site->address = (struct weir_mapping_address){ .bytes = { 10, 87, 0, (uint8_t)(host + 1) }, .version = 4 };
    return code;
}

/* Deletes hosts that were made, as far as they are there. @return how many were there */
static uint32_t delete_hosts(uint32_t hosts)
{
    char space[NAME], port[NAME], other[NAME];
    struct weir_err ignored;
    uint32_t count = 0;
    WEIR_ASSERT(hosts <= WEIR_SOFT_MADE_MAX);
    if (hosts == 0)
        return 0;
    FILE *commands = tmpfile();
    for (uint32_t i = 0; i < hosts && commands != NULL; i++) {
        host_names(i, space, port, other);
        count += has_namespace(space);
        if (if_nametoindex(port) != 0)
            (void)fprintf(commands, "link del %s\n", port);
        if (has_namespace(space))
            (void)fprintf(commands, "netns del %s\n", space);
    }
    (void)run_ip(commands, &ignored);
    return count;
}

static int make_hosts(struct weir_soft_home *home, struct weir_soft_site *site, uint32_t hosts, struct weir_err *err)
{
    char line[LINE];
    int code = check_names(hosts, err);
    if (code != 0)
        return code;
    (void)snprintf(line, sizeof(line), "hosts %u\n", hosts);
    code = note(home, line, err);
    home->made = hosts;
    for (uint32_t i = 0; i < hosts && code == 0; i++)
        code = make_host(i, &site[i], err);
    return code;
}

/* ---- ports ---- */

/* Reads all devices, and notes them, before any of them is changed. */
static int read_devices(const struct weir_soft_home *home, const struct weir_soft_site *site, uint32_t hosts,
                        struct weir_raw_device *device, struct weir_err *err)
{
    int code = 0;
    for (uint32_t i = 0; i < hosts && code == 0; i++) {
        code = weir_raw_device_read(&device[i], site[i].device, err);
        for (uint32_t k = 0; k < i && code == 0; k++)
            if (device[k].index == device[i].index)
                code = weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s is the port of two hosts, %s and %s",
                                 site[i].device, site[k].host, site[i].host);
        if (code == 0 && device[i].mtu_bytes != device[0].mtu_bytes)
            code = weir_fail(err, WEIR_E_CONFLICT, NULL, "ip link set DEVICE mtu N",
                             "the MTU of %s is %u, and that of %s %u", site[0].device, device[0].mtu_bytes,
                             site[i].device, device[i].mtu_bytes);
    }
    for (uint32_t i = 0; i < hosts && code == 0; i++)
        code = note_device(home, &device[i], err);
    return code;
}

static int open_ports(struct weir_soft_home *home, const struct weir_soft_site *site, uint32_t hosts,
                      struct weir_err *err)
{
    static const struct weir_raw_options options = { .kind = WEIR_RAW_AUTO };
    struct weir_raw_device *device = calloc(hosts, sizeof(*device));
    int code;
    WEIR_ASSERT(hosts > 0 && home->ports == 0);
    home->port = calloc(hosts, sizeof(*home->port));
    if (device == NULL || home->port == NULL) {
        free(device);
        return weir_fail_memory(err);
    }
    code = read_devices(home, site, hosts, device, err);
    for (uint32_t i = 0; i < hosts && code == 0; i++) {
        code = weir_raw_open(&home->port[i], &device[i], &options, err);
        home->ports += code == 0;
    }
    home->mtu_bytes = code == 0 ? device[0].mtu_bytes : 0;
    free(device);
    return code;
}

int weir_soft_home_open(struct weir_soft_home *home, struct weir_soft_site *site, uint32_t hosts, struct weir_err *err)
{
    int code;
    *home = (struct weir_soft_home){ .note = -1 };
    code = open_note(home, err);
    if (code == 0 && site[0].device[0] == '\0')
        code = make_hosts(home, site, hosts, err);
    if (code == 0)
        code = open_ports(home, site, hosts, err);
    if (code != 0)
        weir_soft_home_close(home);
    return code;
}

void weir_soft_home_close(struct weir_soft_home *home)
{
    for (uint32_t i = 0; i < home->ports; i++)
        weir_raw_close(home->port[i]);
    free(home->port);
    home->port = NULL;
    home->ports = 0;
    if (home->made > 0)
        (void)delete_hosts(home->made);
    close_note(home);
}

/* ---- what is left ---- */

/* Reads a line "device NAME INDEX UP LRO GRO RX_VLAN". @return false = it is none */
static bool read_device(const char *line, struct weir_raw_device *device)
{
    static const char key[] = "device ";
    const char *name = line + sizeof(key) - 1, *end;
    unsigned long number[5];
    char *rest;
    if (strncmp(line, key, sizeof(key) - 1) != 0 || (end = strchr(name, ' ')) == NULL ||
        (size_t)(end - name) >= sizeof(device->name))
        return false;
    for (int i = 0; i < 5; i++, end = rest) {
        number[i] = strtoul(end, &rest, 10);
        if (rest == end)
            return false;
    }
    *device = (struct weir_raw_device){ .index = (uint32_t)number[0],
                                        .is_up = number[1] != 0,
                                        .lro = number[2] != 0,
                                        .gro = number[3] != 0,
                                        .rx_vlan = number[4] != 0 };
    memcpy(device->name, name, strcspn(name, " "));
    return true;
}

/* Reads a line "hosts N". @return N; 0 = it is none */
static uint32_t read_hosts(const char *line)
{
    static const char key[] = "hosts ";
    unsigned long hosts = strncmp(line, key, sizeof(key) - 1) == 0 ? strtoul(line + sizeof(key) - 1, NULL, 10) : 0;
    return hosts <= WEIR_SOFT_MADE_MAX ? (uint32_t)hosts : 0;
}

/* Undoes what a note says. here: it is of this network namespace. @return how many devices and hosts there were; -1 =
 * it has devices of another namespace, and has to stay */
static int undo(FILE *file, bool here)
{
    char line[LINE];
    struct weir_raw_device d;
    uint32_t hosts, made = 0;
    int count = 0, elsewhere = 0;
    while (fgets(line, sizeof(line), file) != NULL) {
        hosts = read_hosts(line);
        made += hosts;
        count += (int)delete_hosts(hosts);
        if (!read_device(line, &d))
            continue;
        elsewhere += !here && made == 0;
        count += here && if_nametoindex(d.name) == d.index;
        if (here)
            weir_raw_device_restore(&d);
    }
    return elsewhere > 0 ? -1 : count;
}

/* Undoes what a note in the folder says, unless its process lives. @return how many devices and hosts there were */
static uint32_t clean_note(const char *path, bool here)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW), count = 0;
    FILE *file = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 ? fdopen(fd, "r") : NULL;
    if (file == NULL) {
        if (fd >= 0)
            (void)close(fd);
        return 0;
    }
    count = undo(file, here);
    if (count >= 0)
        (void)unlink(path);
    (void)fclose(file);
    return count > 0 ? (uint32_t)count : 0;
}

int weir_soft_home_clean(uint32_t *removed, struct weir_err *err)
{
    char own[32], path[sizeof(WEIR_SOFT_NOTES) + 256];
    struct dirent *entry;
    uint64_t cookie;
    DIR *notes = opendir(WEIR_SOFT_NOTES);
    int code;
    *removed = 0;
    if (notes == NULL)
        return 0;
    code = weir_netns_cookie(NULL, &cookie, err);
    (void)snprintf(own, sizeof(own), "switch-%" PRIu64, cookie);
    while (code == 0 && (entry = readdir(notes)) != NULL)
        if (strncmp(entry->d_name, "switch-", 7) == 0) {
            (void)snprintf(path, sizeof(path), "%s/%s", WEIR_SOFT_NOTES, entry->d_name);
            *removed += clean_note(path, strcmp(entry->d_name, own) == 0);
        }
    (void)closedir(notes);
    (void)rmdir(WEIR_SOFT_NOTES); /* stays if another switch has a note */
    return code;
}
