/* src/commands/soft/hosts.c - see hosts.h. */
#define _GNU_SOURCE /* memfd_create */
#include "soft/hosts.h"
#include "core/assert.h"
#include <dirent.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOST "weir-h" /* of namespaces */
#define PORT "weirs"  /* of the ports' devices */
#define INNER "weirh" /* of the other ends, until they are in their namespace */
#define NAMESPACES "/run/netns"
#define NETWORK UINT32_C(0x0a4d0000) /* 10.77.0.0/16 */

extern char **environ;

uint32_t weir_soft_host_address(uint32_t host)
{
    WEIR_ASSERT(host < UINT16_MAX - 1);
    return NETWORK + 1 + host;
}

/* Runs `ip -batch` with commands from a file. within: a namespace; "" = the caller's. text: gets what it says about an
 * error. @return true = done */
static bool run_ip(int commands, const char *within, char *text, size_t room)
{
    static char program[] = "ip", option[] = "-batch", input[] = "-", in[] = "-n";
    char name[64], *here[] = { program, option, input, NULL }, *there[] = { program, in, name, option, input, NULL };
    char **argv = within[0] != '\0' ? there : here;
    posix_spawn_file_actions_t actions;
    int said = memfd_create("said", MFD_CLOEXEC), status = -1, failed;
    ssize_t got;
    pid_t pid;
    if (said < 0)
        return false;
    (void)snprintf(name, sizeof(name), "%s", within);
    (void)lseek(commands, 0, SEEK_SET);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, commands, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, said, 1);
    (void)posix_spawn_file_actions_adddup2(&actions, said, 2);
    failed = posix_spawnp(&pid, program, &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (failed == 0)
        (void)waitpid(pid, &status, 0);
    got = pread(said, text, room - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (failed != 0)
        (void)snprintf(text, room, "ip: %s", strerror(failed));
    (void)close(said);
    return status == 0;
}

/* Runs commands that a function prints. within: as run_ip() has it; number: for the function */
static int run(const char *within, void (*print)(FILE *out, uint32_t number), uint32_t number, struct weir_err *err)
{
    char text[256] = "";
    int fd = memfd_create("ip", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool done = false;
    if (file != NULL) {
        print(file, number);
        done = fflush(file) == 0 && run_ip(fd, within, text, sizeof(text));
        (void)fclose(file);
    }
    return done ? 0 : weir_fail(err, WEIR_E_RUN, NULL, "it takes root, and the package iproute2", "hosts: %s", text);
}

static void print_make(FILE *out, uint32_t hosts)
{
    for (uint32_t h = 0; h < hosts; h++)
        (void)fprintf(out, "netns add " HOST "%u\nlink add " PORT "%u type veth peer name " INNER "%u\n", h, h, h);
}

static void print_connect(FILE *out, uint32_t hosts)
{
    for (uint32_t h = 0; h < hosts; h++)
        (void)fprintf(out,
                      "link set " INNER "%u netns " HOST "%u name eth0\n"
                      "link set " PORT "%u up\n",
                      h, h, h);
}

static void print_address(FILE *out, uint32_t host)
{
    uint32_t a = weir_soft_host_address(host);
    (void)fprintf(out, "addr add %u.%u.%u.%u/16 dev eth0\nlink set eth0 up\nlink set lo up\n", a >> 24, a >> 16 & 255,
                  a >> 8 & 255, a & 255);
}

/* Makes a device leave no parts of frames to hardware. */
static void switch_off(int fd, const char *device, uint32_t command)
{
    WEIR_ASSERT(fd >= 0);
    struct ethtool_value off = { .cmd = command, .data = 0 };
    struct ifreq request = { .ifr_data = (char *)&off };
    (void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
    (void)ioctl(fd, SIOCETHTOOL, &request);
}

static void switch_offloads_off(uint32_t hosts)
{
    static const uint32_t command[] = { ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO, ETHTOOL_STXCSUM };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    char device[IFNAMSIZ];
    for (uint32_t h = 0; h < 2 * hosts && fd >= 0; h++) {
        (void)snprintf(device, sizeof(device), "%s%u", h % 2 == 0 ? PORT : INNER, h / 2);
        for (size_t i = 0; i < sizeof(command) / sizeof(command[0]); i++)
            switch_off(fd, device, command[i]);
    }
    if (fd >= 0)
        (void)close(fd);
}

/* Tests whether a namespace that is made here has a name for this process and its children alone: names are mounts, and
 * `ip netns exec` gives its program mounts of its own. */
static bool hides_names(void)
{
    struct stat own, first;
    return stat("/proc/self/ns/mnt", &own) == 0 && stat("/proc/1/ns/mnt", &first) == 0 && own.st_ino != first.st_ino;
}

/* Refuses names that are taken, and those that nobody else would see. */
static int check_free(uint32_t hosts, struct weir_err *err)
{
    char path[64], device[IFNAMSIZ];
    if (hides_names())
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "nsenter --net=/run/netns/NAME, in place of ip netns exec NAME",
                         "hosts: nobody else would see namespaces that are made within `ip netns exec`");
    for (uint32_t h = 0; h < hosts; h++) {
        (void)snprintf(path, sizeof(path), NAMESPACES "/" HOST "%u", h);
        (void)snprintf(device, sizeof(device), PORT "%u", h);
        if (access(path, F_OK) == 0 || if_nametoindex(device) != 0)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch clean removes what a switch has left",
                             "hosts: there is a %s %s already", access(path, F_OK) == 0 ? "namespace" : "device",
                             access(path, F_OK) == 0 ? path + sizeof(NAMESPACES) : device);
    }
    return 0;
}

int weir_soft_hosts_make(uint32_t hosts, char (*device)[WEIR_SOFT_DEVICE], struct weir_err *err)
{
    char name[2 * WEIR_SOFT_DEVICE];
    int code = check_free(hosts, err);
    if (code != 0)
        return code;
    code = run("", print_make, hosts, err);
    if (code == 0) {
        switch_offloads_off(hosts);
        code = run("", print_connect, hosts, err);
    }
    for (uint32_t h = 0; h < hosts && code == 0; h++) {
        (void)snprintf(device[h], WEIR_SOFT_DEVICE, PORT "%u", h);
        (void)snprintf(name, sizeof(name), HOST "%u", h);
        code = run(name, print_address, h, err);
    }
    if (code != 0)
        (void)weir_soft_hosts_remove();
    return code;
}

/* Tests for a name with a number behind it. */
static bool is_numbered(const char *name, const char *first)
{
    size_t length = strlen(first);
    return strncmp(name, first, length) == 0 && name[length] != '\0' &&
           strspn(name + length, "0123456789") == strlen(name + length);
}

static void print_remove(FILE *out, uint32_t hosts)
{
    struct if_nameindex *all = if_nameindex();
    DIR *folder = opendir(NAMESPACES);
    (void)hosts;
    for (const struct if_nameindex *i = all; i != NULL && i->if_name != NULL; i++)
        if (is_numbered(i->if_name, PORT) || is_numbered(i->if_name, INNER))
            (void)fprintf(out, "link del %s\n", i->if_name);
    for (const struct dirent *e = folder != NULL ? readdir(folder) : NULL; e != NULL; e = readdir(folder))
        if (is_numbered(e->d_name, HOST))
            (void)fprintf(out, "netns del %s\n", e->d_name);
    if_freenameindex(all);
    if (folder != NULL)
        (void)closedir(folder);
}

static uint32_t count_namespaces(void)
{
    DIR *folder = opendir(NAMESPACES);
    uint32_t count = 0;
    for (const struct dirent *e = folder != NULL ? readdir(folder) : NULL; e != NULL; e = readdir(folder))
        count += is_numbered(e->d_name, HOST);
    if (folder != NULL)
        (void)closedir(folder);
    return count;
}

uint32_t weir_soft_hosts_remove(void)
{
    struct weir_err err;
    uint32_t count = count_namespaces();
    (void)run("", print_remove, 0, &err);
    return count;
}
