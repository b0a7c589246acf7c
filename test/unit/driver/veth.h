/* test/unit/driver/veth.h - two network namespaces with a veth pair between them. They have no name: when the last
 * descriptor and the last thread inside is gone, also by a crash, the kernel takes them down with all that is in them.
 * */
#ifndef WEIR_TEST_VETH_H
#define WEIR_TEST_VETH_H
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct veth { /* device wv0, 10.77.0.1/24, in ns[0]; wv1, 10.77.0.2/24, in ns[1]; Ethernet 02:00:00:00:77:01 and :02 */
    int home, ns[2]; /* descriptors of namespaces */
    char why[128];   /* the sentence, if it could not be made */
};

/* Runs a command line whose words have no blanks. @return its exit status; 127 = it cannot be started */
static inline int veth_run(const char *line)
{
    char copy[256], *words[32], *save = NULL;
    size_t count = 0;
    pid_t child;
    int status = -1;
    (void)snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok_r(copy, " ", &save); word != NULL && count < 31; word = strtok_r(NULL, " ", &save))
        words[count++] = word;
    words[count] = NULL;
    if (count == 0 || posix_spawnp(&child, words[0], NULL, NULL, words, environ) != 0)
        return 127;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/* The calling thread is in namespace i from now on; -1 = where it was at first. */
static inline bool veth_enter(const struct veth *v, int i)
{
    return setns(i < 0 ? v->home : v->ns[i], CLONE_NEWNET) == 0;
}

static inline bool veth_fail(struct veth *v, const char *why)
{
    (void)snprintf(v->why, sizeof(v->why), "%s", why);
    return false;
}

static inline bool veth_make_namespaces(struct veth *v)
{
    v->home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < 2; i++) {
        if (v->home < 0 || unshare(CLONE_NEWNET) != 0)
            return veth_fail(v, "network namespaces take CAP_SYS_ADMIN, which is not there");
        v->ns[i] = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
        if (v->ns[i] < 0 || veth_run("ip link set lo up") != 0)
            return veth_fail(v, "no network namespaces, or no `ip` command");
    }
    return true;
}

/* @return false: why says why; call veth_close() also then */
static inline bool veth_open(struct veth *v, unsigned mtu)
{
    char line[256];
    *v = (struct veth){ .home = -1, .ns = { -1, -1 } };
    if (!veth_make_namespaces(v))
        return false;
    (void)snprintf(
        line, sizeof(line),
        "ip link add wv1 address 02:00:00:00:77:02 mtu %u type veth peer name wv0 address 02:00:00:00:77:01 mtu %u "
        "netns /proc/%d/fd/%d",
        mtu, mtu, (int)getpid(), v->ns[0]);
    if (veth_run(line) != 0)
        return veth_fail(v, "veth pairs cannot be made here");
    for (int i = 0; i < 2; i++) {
        (void)snprintf(line, sizeof(line), "ip address add 10.77.0.%d/24 dev wv%d", i + 1, i);
        if (!veth_enter(v, i) || veth_run(line) != 0)
            return veth_fail(v, "an address cannot be set");
        (void)snprintf(line, sizeof(line), "ip link set wv%d up", i);
        if (veth_run(line) != 0)
            return veth_fail(v, "a device cannot be brought up");
    }
    return veth_enter(v, 0);
}

static inline void veth_close(struct veth *v)
{
    const int fds[] = { v->ns[0], v->ns[1], v->home };
    if (v->home >= 0)
        (void)veth_enter(v, -1);
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
}
#endif
