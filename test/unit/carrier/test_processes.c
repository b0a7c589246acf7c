/* test/unit/carrier/test_processes.c - forked processes exchange messages of every size, empty ones and those that fill no socket at
 * once; what one rank shares, and what all count; a rank that ends is named. The other ranks say by their exit status what they saw. */
#include "test/unit/weir_test.h"
#include "carrier/processes.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 3, LONG_BYTES = 3000000 };

/* The byte at index i of the message from one rank to another, of this size. */
static unsigned char byte_of(uint32_t from, uint32_t to, size_t bytes, size_t i)
{
    return (unsigned char)(from * 31 + to * 7 + bytes + i * 13);
}

/* The size of the message from one rank to another in a round: of each size, and different ones both ways. */
static size_t size_of(uint32_t from, uint32_t to, uint32_t round)
{
    static const size_t sizes[] = { 0, 1, 15, 16, 17, 4096, 300000, LONG_BYTES };
    return sizes[(from * 3 + to + round) % (sizeof(sizes) / sizeof(sizes[0]))];
}

/* @return whether all messages of a round have come as they were sent */
static bool round_is_right(struct weir_carrier *c, uint32_t round, struct weir_buffer *out, struct weir_buffer *in)
{
    struct weir_err err;
    bool right = true;
    for (uint32_t q = 0; q < c->ranks; q++) {
        size_t bytes = size_of(c->rank, q, round);
        out[q].bytes = 0;
        for (size_t i = 0; i < bytes; i++) {
            unsigned char byte = byte_of(c->rank, q, bytes, i);
            weir_buffer_put(&out[q], &byte, 1);
        }
    }
    right = c->exchange(c, out, in, &err) == 0;
    for (uint32_t q = 0; q < c->ranks && right; q++) {
        size_t bytes = size_of(q, c->rank, round);
        if (q == c->rank)
            continue;
        right = in[q].bytes == bytes;
        for (size_t i = 0; i < bytes && right; i++)
            right = in[q].data[i] == byte_of(q, c->rank, bytes, i);
    }
    return right;
}

static bool rounds_are_right(struct weir_carrier *c)
{
    struct weir_buffer out[RANKS] = { 0 }, in[RANKS] = { 0 };
    bool right = true;
    for (uint32_t round = 0; round < 16 && right; round++)
        right = round_is_right(c, round, out, in);
    for (uint32_t q = 0; q < RANKS; q++) {
        weir_buffer_free(&out[q]);
        weir_buffer_free(&in[q]);
    }
    return right;
}

/* What each rank tests of what is shared and counted. */
static bool shares_are_right(struct weir_carrier *c)
{
    struct weir_err err;
    uint64_t value = c->rank == 0 ? 4711 : 0, count = 0;
    bool right = weir_carrier_share(c, &value, sizeof(value), &err) == 0 && value == 4711;
    right = weir_carrier_count(c, c->rank > 0, &count, &err) == 0 && count == RANKS - 1 && right;
    return weir_carrier_count(c, false, &count, &err) == 0 && count == 0 && right;
}

static struct weir_carrier *start(void)
{
    struct weir_carrier *c = NULL;
    struct weir_err err;
    assert_int_equal(weir_processes_start(&c, RANKS, &err), 0);
    return c;
}

/* Runs what each rank tests. @return in rank 0 alone: whether it was right in all */
static bool in_all(bool (*test)(struct weir_carrier *c))
{
    struct weir_carrier *c = start();
    struct weir_err err;
    bool right = test(c);
    uint64_t wrong = 1;
    bool counted = weir_carrier_count(c, !right, &wrong, &err) == 0;
    uint32_t rank = c->rank;
    c->close(c, true);
    if (rank > 0)
        _exit(0);
    return counted && wrong == 0;
}

static void messages_of_all_sizes_arrive(void **state)
{
    (void)state;
    assert_true(in_all(rounds_are_right));
}

static void rank_0_shares_and_all_count(void **state)
{
    (void)state;
    assert_true(in_all(shares_are_right));
}

static int exchange_nothing(struct weir_carrier *c, struct weir_err *err)
{
    struct weir_buffer out[RANKS] = { 0 }, in[RANKS] = { 0 };
    return c->exchange(c, out, in, err);
}

/* how: what rank 2 does after one exchange, instead of a second one. Rank 0 gets the sentence. */
static void rank_2_ends(void (*how)(void), const char *sentence)
{
    struct weir_carrier *c = start();
    struct weir_err err;
    int first = exchange_nothing(c, &err), second;
    if (c->rank == 2)
        how();
    second = exchange_nothing(c, &err);
    if (c->rank > 0)
        _exit(first == 0 && second == WEIR_E_RANK ? 0 : 1);
    c->close(c, false);
    assert_int_equal(first, 0);
    assert_int_equal(second, WEIR_E_RANK);
    assert_string_equal(err.text, sentence);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
}

static void is_killed(void)
{
    (void)raise(SIGKILL);
}

/* Ends as the kernel may end a process: rank 1 knows first, and could itself have ended before rank 0 knows. */
static void is_killed_slowly(void)
{
    for (int fd = 63; fd > STDERR_FILENO; fd--)
        for (int i = close(fd) == 0 ? 10000 : 0; i > 0; i--)
            (void)sched_yield(); /* so that others act in between */
    (void)raise(SIGKILL);
}

static void a_rank_that_is_killed_is_named(void **state)
{
    (void)state;
    rank_2_ends(is_killed, "rank 2 of 3 was killed by signal 9");
    rank_2_ends(is_killed_slowly, "rank 2 of 3 was killed by signal 9");
}

/* ---- what the system does not give ---- */

static uint32_t fails_at; /* which of the next calls of fork() and socketpair(); 0 = none, 1 = the first */
static bool no_memory;    /* realloc() has none */

pid_t __real_fork(void);
pid_t __wrap_fork(void);
pid_t __wrap_fork(void)
{
    if (fails_at > 0 && --fails_at == 0) {
        errno = EAGAIN;
        return -1;
    }
    return __real_fork();
}

int __real_socketpair(int domain, int type, int protocol, int *fd);
int __wrap_socketpair(int domain, int type, int protocol, int *fd);
int __wrap_socketpair(int domain, int type, int protocol, int *fd)
{
    if (fails_at > 0 && --fails_at == 0) {
        errno = EMFILE;
        return -1;
    }
    return __real_socketpair(domain, type, protocol, fd);
}

void *__real_realloc(void *at, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes)
{
    return no_memory ? NULL : __real_realloc(at, bytes);
}

static uint32_t open_files(void)
{
    uint32_t count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Three pairs of sockets, then two forks: whichever fails, no file and no process is left. */
static void a_system_without_sockets_or_processes_is_said(void **state)
{
    static const char *const sentences[] = { "the system gives no more than 1 process",
                                             "the system gives no more than 2 processes" };
    (void)state;
    for (uint32_t call = 1; call <= 5; call++) {
        struct weir_carrier *c = NULL;
        struct weir_err err;
        uint32_t before = open_files();
        fails_at = call;
        assert_int_equal(weir_processes_start(&c, RANKS, &err), WEIR_E_RANK);
        assert_int_equal(fails_at, 0);
        assert_null(c);
        assert_string_equal(err.text, sentences[call == 5]);
        assert_int_equal(open_files(), before);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    }
}

static int exchange_never(struct weir_carrier *c, const struct weir_buffer *out, struct weir_buffer *in,
                          struct weir_err *err)
{
    (void)c, (void)out, (void)in, (void)err;
    fail_msg("%s", "what has no memory is not sent");
    return 0;
}

static void what_has_no_memory_is_not_sent(void **state)
{
    struct weir_carrier c = { .ranks = RANKS, .exchange = exchange_never };
    struct weir_err err;
    uint64_t value = 1;
    (void)state;
    no_memory = true;
    assert_int_equal(weir_carrier_share(&c, &value, sizeof(value), &err), WEIR_E_MEMORY);
    assert_int_equal(weir_carrier_count(&c, true, &value, &err), WEIR_E_MEMORY);
    no_memory = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_all_sizes_arrive),
        cmocka_unit_test(rank_0_shares_and_all_count),
        cmocka_unit_test(a_rank_that_is_killed_is_named),
        cmocka_unit_test(a_system_without_sockets_or_processes_is_said),
        cmocka_unit_test(what_has_no_memory_is_not_sent),
    };
    return cmocka_run_group_tests_name("carrier/processes", tests, NULL, NULL);
}
