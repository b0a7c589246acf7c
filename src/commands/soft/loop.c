/* src/commands/soft/loop.c - see loop.h. */
#define _GNU_SOURCE
#include "soft/loop.h"
#include "core/assert.h"
#include "core/math.h"
#include "text/clock.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>

#define SPIN_NS UINT64_C(50000)      /* a wake-up takes a part of this, and until then nothing is forwarded */
#define CONTROL_NS UINT64_C(1000000) /* while it spins, control_fd is looked at once per so long */

/* Waits until a frame or a request comes, at most wait_ns. @return whether there is a request; or a negative errno */
static int wait_for(const struct weir_soft_loop *loop, struct pollfd *fds, uint64_t wait_ns)
{
    struct timespec at_most = { .tv_sec = (time_t)(wait_ns / 1000000000), .tv_nsec = (long)(wait_ns % 1000000000) };
    int ready = ppoll(fds, loop->hosts + (loop->control_fd >= 0), &at_most, NULL);
    if (ready < 0 && errno != EINTR)
        return -errno;
    return ready > 0 && loop->control_fd >= 0 && fds[loop->hosts].revents != 0;
}

/* Takes the processor whenever there is something to do, if another one is left for all else: frames are late by the
 * time for which the process does not run. */
static void come_first(void)
{
    struct sched_param first = { .sched_priority = 1 };
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) > 1)
        (void)sched_setscheduler(0, SCHED_FIFO, &first);
}

int weir_soft_loop(struct weir_soft_loop *loop)
{
    struct pollfd fds[WEIR_SOFT_HOSTS_MAX + 1];
    uint64_t start_ns = weir_wall_ns(), last_ns = 0, control_ns = 0;
    WEIR_ASSERT(loop->hosts <= WEIR_SOFT_HOSTS_MAX);
    for (uint32_t h = 0; h < loop->hosts; h++)
        fds[h] = (struct pollfd){ .fd = loop->port_fd[h], .events = POLLIN };
    fds[loop->hosts] = (struct pollfd){ .fd = loop->control_fd, .events = POLLIN };
    come_first();
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* or each wait takes 50 us longer */
    while (*loop->stop == 0) {
        uint64_t now_ns = weir_max_u64(weir_wall_ns() - start_ns, last_ns + 1), due_ps, wait_ns;
        int asked = 0;
        last_ns = now_ns;
        due_ps = weir_soft_step(loop->soft, now_ns * WEIR_PS_PER_NS);
        loop->steps++;
        now_ns = weir_wall_ns() - start_ns;
        wait_ns = due_ps / WEIR_PS_PER_NS > now_ns ? due_ps / WEIR_PS_PER_NS - now_ns : 0;
        if (wait_ns > SPIN_NS) {
            asked = wait_for(loop, fds, weir_min_u64(wait_ns - SPIN_NS / 2, UINT64_C(1000000000)));
            loop->waits++;
        } else if (now_ns - control_ns > CONTROL_NS) {
            asked = wait_for(loop, fds, 0);
            control_ns = now_ns;
        }
        if (asked < 0)
            return asked;
        if (asked > 0)
            loop->control(loop->control_ctx);
    }
    return 0;
}
