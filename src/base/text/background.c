/* src/base/text/background.c - see background.h. */
#define _GNU_SOURCE /* accept4, struct ucred, syscall */
#include "text/background.h"
#include "core/assert.h"
#include "text/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_BYTES = 8 << 20, QUEUE = 8 };

/* Returns the abstract name: a zero byte comes first. */
static struct sockaddr_un named(const char *name, socklen_t *length)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t bytes = strlen(name);
    WEIR_ASSERT(bytes < sizeof(address.sun_path));
    memcpy(address.sun_path + 1, name, bytes);
    *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes);
    return address;
}

int weir_background_listen(const char *name)
{
    socklen_t length;
    struct sockaddr_un address = named(name, &length);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), code;
    if (fd >= 0 && bind(fd, (const struct sockaddr *)(const void *)&address, length) == 0 && listen(fd, QUEUE) == 0)
        return fd;
    code = -errno;
    if (fd >= 0)
        (void)close(fd);
    return code;
}

void weir_background_answer(int fd, void (*write_json)(FILE *out, void *ctx), void (*write_table)(FILE *out, void *ctx),
                            void *ctx)
{
    int other = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), room = ANSWER_BYTES;
    struct weir_memory memory;
    if (other < 0)
        return;
    if (weir_memory_open(&memory) != NULL) {
        write_json(memory.file, ctx);
        (void)fputc('\0', memory.file);
        write_table(memory.file, ctx);
    }
    (void)setsockopt(other, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)); /* the answer must not wait */
    if (weir_memory_close(&memory))
        (void)send(other, memory.bytes, memory.length, MSG_DONTWAIT | MSG_NOSIGNAL);
    free(memory.bytes);
    (void)close(other);
}

/* Copies one part of the answer to out, up to a zero byte or from it on. @return false = there is no answer: the
 * process is about to end */
static bool copy_part(int fd, bool first, FILE *out)
{
    char text[4096];
    bool second = false;
    ssize_t got;
    while ((got = read(fd, text, sizeof(text))) > 0)
        for (ssize_t i = 0; i < got; i++) {
            if (text[i] == '\0')
                second = true;
            else if (first != second)
                (void)fputc(text[i], out);
        }
    return second;
}

bool weir_background_ask(const char *name, bool json, FILE *out, int *pid)
{
    socklen_t length, size = sizeof(struct ucred);
    struct sockaddr_un address = named(name, &length);
    struct ucred other = { 0 };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool found = fd >= 0 && connect(fd, (const struct sockaddr *)(const void *)&address, length) == 0 &&
                 getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && copy_part(fd, json, out);
    if (fd >= 0)
        (void)close(fd);
    *pid = other.pid;
    return found;
}

void weir_background_end(int pid)
{
    int process = (int)syscall(SYS_pidfd_open, pid, 0U);
    (void)kill(pid, SIGTERM);
    if (process < 0)
        return;
    (void)poll(&(struct pollfd){ .fd = process, .events = POLLIN }, 1, -1);
    (void)close(process);
}

void weir_background_begin(void)
{
    (void)syscall(SYS_close_range, 3U, ~0U, 0U);
}

void weir_background_leave(void)
{
    int null = open("/dev/null", O_RDWR);
    (void)setsid();
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        (void)dup2(null, fd);
    if (null > 2)
        (void)close(null);
    if (chdir("/") != 0)
        return; /* then that folder stays in use */
}
