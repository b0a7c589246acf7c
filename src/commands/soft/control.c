/* src/commands/soft/control.c - see control.h. */
#define _GNU_SOURCE /* struct ucred, memfd_create, pipe2 */
#include "soft/control.h"
#include "core/assert.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { FILES = 2 /* of a request: for the answer, and the pipe */ };

union room { /* for what goes with a request */
    struct cmsghdr head;
    char bytes[CMSG_SPACE(FILES * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
};

static socklen_t name(struct sockaddr_un *address)
{
    static const char text[] = "weir-switch-user";
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    memcpy(address->sun_path + 1, text, sizeof(text) - 1);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof(text));
}

static void close_fd(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

/* ---- the process ---- */

int weir_soft_listen(struct weir_err *err)
{
    struct sockaddr_un address;
    socklen_t size = name(&address);
    int on = 1, fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0 &&
        bind(fd, (const struct sockaddr *)(const void *)&address, size) == 0)
        return fd;
    int error = errno;
    close_fd(fd);
    return error == EADDRINUSE
               ? -weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch stop ends it", "a switch is running here already")
               : -weir_fail(err, WEIR_E_RUN, NULL, NULL, "no socket: %s", strerror(error));
}

/* Gets the files that came with a request. @return false = it is not to be answered */
static bool read_files(struct msghdr *message, int *files)
{
    bool allowed = false;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        struct ucred sender;
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            memcpy(files, CMSG_DATA(c), c->cmsg_len == CMSG_LEN(FILES * sizeof(int)) ? FILES * sizeof(int) : 0);
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
            memcpy(&sender, CMSG_DATA(c), sizeof(sender));
            allowed = sender.uid == 0 || sender.uid == geteuid();
        }
    }
    return allowed && files[0] >= 0 && files[1] >= 0;
}

bool weir_soft_take(int listener, struct weir_soft_request *request)
{
    union room room;
    struct iovec part = { .iov_base = &request->verb, .iov_len = 1 };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof(room)
    };
    int files[FILES] = { -1, -1 };
    WEIR_ASSERT(listener >= 0);
    if (recvmsg(listener, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
        return false;
    if (read_files(&message, files) && (request->out = fdopen(files[0], "w")) != NULL) {
        request->finish = files[1];
        return true;
    }
    close_fd(files[0]);
    close_fd(files[1]);
    return false;
}

void weir_soft_answered(struct weir_soft_request *request)
{
    WEIR_ASSERT(request->out != NULL && request->finish >= 0);
    if (fclose(request->out) == 0 && write(request->finish, "", 1) != 1) { /* whoever asked has gone */
    }
    (void)close(request->finish);
}

/* ---- who asks ---- */

static int connect_to(void)
{
    struct sockaddr_un address;
    socklen_t size = name(&address);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)(const void *)&address, size) == 0)
        return fd;
    close_fd(fd);
    return -1;
}

bool weir_soft_runs(void)
{
    int fd = connect_to();
    close_fd(fd);
    return fd >= 0;
}

/* Sends a request with its files. */
static bool send_request(int fd, char verb, const int *files)
{
    union room room = { .bytes = "" };
    struct iovec part = { .iov_base = &verb, .iov_len = 1 };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = CMSG_SPACE(FILES * sizeof(int))
    };
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    WEIR_ASSERT(files[0] >= 0 && files[1] >= 0);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(FILES * sizeof(int));
    memcpy(CMSG_DATA(c), files, FILES * sizeof(int));
    return sendmsg(fd, &message, MSG_NOSIGNAL) == 1;
}

static void copy(int from, FILE *out)
{
    char part[4096];
    ssize_t count;
    (void)lseek(from, 0, SEEK_SET);
    while ((count = read(from, part, sizeof(part))) > 0)
        (void)fwrite(part, 1, (size_t)count, out);
}

int weir_soft_ask(enum weir_soft_verb verb, FILE *out, struct weir_err *err)
{
    int fd = connect_to(), pipes[2] = { -1, -1 }, answer = -1;
    char end = 1;
    bool done = false;
    if (fd < 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL,
                         "each network namespace has its own: ip netns exec NAME weir switch ..",
                         "no switch is running here");
    answer = memfd_create("answer", MFD_CLOEXEC);
    if (answer >= 0 && pipe2(pipes, O_CLOEXEC) == 0)
        done = send_request(fd, (char)verb, (const int[FILES]){ answer, pipes[1] });
    close_fd(pipes[1]);
    done = done && read(pipes[0], &end, 1) == 1;
    if (done)
        copy(answer, out);
    close_fd(pipes[0]);
    close_fd(answer);
    close_fd(fd);
    return done ? 0 : weir_fail(err, WEIR_E_RUN, NULL, "it answers root", "the switch gave no answer");
}
