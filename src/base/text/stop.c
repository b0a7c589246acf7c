/* src/base/text/stop.c - see stop.h. The state is static, because a signal handler has no argument for it. */
#define _DEFAULT_SOURCE 1 /* setitimer() */
#include "text/stop.h"
#include "core/assert.h"
#include "text/print.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

/* The signal that came first; 0 = none. weir_stop_flag() compiles only where sig_atomic_t is int. */
static volatile sig_atomic_t stop_signal;
enum { FILES = 16 }; /* more files than a command writes at a time */
static const char *volatile unlink_path[FILES];

const volatile int *weir_stop_flag(void)
{
    return &stop_signal;
}

void weir_stop_unlink(const char *path)
{
    int i = 0;
    const char *none = NULL; /* sessions of several threads may write files at once */
    while (i < FILES &&
           !__atomic_compare_exchange_n(&unlink_path[i], &none, path, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        none = NULL;
        i++;
    }
    WEIR_ASSERT(i < FILES);
}

void weir_stop_keep(const char *path)
{
    for (int i = 0; i < FILES; i++) {
        const char *mine = path;
        (void)__atomic_compare_exchange_n(&unlink_path[i], &mine, NULL, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

void weir_stop_clean(void)
{
    for (int i = 0; i < FILES; i++) {
        const char *path = unlink_path[i];
        unlink_path[i] = NULL;
        if (path != NULL)
            (void)unlink(path);
    }
}

static struct itimerval grace; /* time from the first signal to the end; 0 = unlimited */

static void on_signal(int number)
{
    if (stop_signal != 0) {
        weir_stop_clean();
        _exit(WEIR_EXIT_SIGNAL + (number == SIGALRM ? stop_signal : number));
    }
    stop_signal = number;
    (void)setitimer(ITIMER_REAL, &grace, NULL);
}

void weir_stop_after(uint32_t ms)
{
    struct sigaction now = { .sa_handler = on_signal };
    (void)sigemptyset(&now.sa_mask);
    (void)sigaction(SIGALRM, &now, NULL);
    grace.it_value = (struct timeval){ .tv_sec = ms / 1000, .tv_usec = (suseconds_t)(ms % 1000) * 1000 };
}

static void stop_handle(int number)
{
    struct sigaction was, now = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    (void)sigemptyset(&now.sa_mask);
    if (sigaction(number, NULL, &was) == 0 && was.sa_handler != SIG_IGN)
        (void)sigaction(number, &now, NULL);
}

void weir_stop_install(void)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    stop_handle(SIGINT);
    stop_handle(SIGTERM);
    stop_handle(SIGHUP);
    (void)sigemptyset(&ignore.sa_mask);
    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigaction(SIGXFSZ, &ignore, NULL);
}
