/* test/unit/driver/bpf_space.h - puts the calling thread, and the children that it makes, into namespaces of its own: a
 * network with a loopback device, and mounts with an empty BPF file system. Nothing of them is left after the test. */
#ifndef WEIR_TEST_BPF_SPACE_H
#define WEIR_TEST_BPF_SPACE_H
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* @return NULL, or why that is not possible here */
static inline const char *bpf_space_enter(void)
{
    struct ifreq lo = { .ifr_flags = IFF_UP };
    int fd;
    bool up;
    if (unshare(CLONE_NEWNS | CLONE_NEWNET) != 0)
        return "namespaces take CAP_SYS_ADMIN, which is not there";
    if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 || mount("bpf", "/sys/fs/bpf", "bpf", 0, NULL) != 0)
        return "a BPF file system cannot be mounted";
    strcpy(lo.ifr_name, "lo");
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    up = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &lo) == 0;
    if (fd >= 0)
        (void)close(fd);
    return up ? NULL : "the loopback device cannot be used";
}

/* Takes all privileges from the calling thread. */
static inline bool bpf_space_drop(void)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof(none));
    return syscall(SYS_capset, &head, none) == 0;
}
#endif
