/* test/unit/endpoint/test_many.c - many peers of one endpoint, and what each of them takes: test_many [--peers N]
 *
 * `./dev soak` runs 10,000. */
#include "test/unit/endpoint/endpoint_test.h"
#include <inttypes.h>
#include <stdio.h>

enum { FIRST_HOST = 100, MOST_BYTES = 1331 }; /* 1.3 KiB */

static uint32_t peers = 300;

/* Host after host sends a message that needs no credit, one that does, and a call, gets a message, and loses its power.
 * So the server has used all that it may need for a peer. */
static void a_peer_takes_at_most_1300_bytes(void **state)
{
    unsigned char *data = noise(300000, 1);
    struct iovec iov = { data, 10 };
    uint64_t grown, each;
    (void)state;
    begin();
    opts[0].max_peers = peers + 1;
    opts[0].peer_timeout_ns = 24 * 3600 * SECOND; /* nobody is missed */
    assert_int_equal(start(0), 0);
    grown = ep[0]->grown_bytes;
    for (uint32_t n = 0; n < peers; n++) {
        place[1] = FIRST_HOST + n;
        opts[1].max_ops = opts[1].max_peers = 16;
        assert_int_equal(start(1), 0);
        assert_int_equal(send_bytes(1, 0, data, 1000, 1), 0);
        assert_int_equal(send_bytes(1, 0, data, 300000, 2), 0);
        assert_int_equal(call_bytes(1, 0, data, 64, 3, 0), 0);
        run(2 * MS);
        for (int k = 0; k < seen_count[0]; k++) {
            if (seen[0][k].type != WEIR_EV_CALL)
                continue;
            assert_int_equal(weir_reply(ep[0], seen[0][k].rpc, &iov, 1, 4, NULL), 0);
            assert_int_equal(weir_send(ep[0], seen[0][k].peer, &iov, 1, 5, NULL), 0);
        }
        run(2 * MS);
        expect_count(1, 4); /* three operations and a message */
        expect_count(0, 5); /* three messages and two operations */
        for (uint32_t i = 0; i < 2; i++) {
            release_all(i);
            seen_count[i] = 0;
        }
        kill_ep(1);
    }
    assert_int_equal(stats(0).peers, peers);
    each = sizeof(struct weir_peer) + 2 * sizeof(struct weir_heap_entry) + (ep[0]->grown_bytes - grown) / peers;
    print_message(
        "%u peers: %" PRIu64 " B each, of which the host has %" PRIu64 " and the record %zu; %" PRIu64 " allocations\n",
        (unsigned)peers, each, (ep[0]->grown_bytes - grown) / peers, sizeof(struct weir_peer), stats(0).allocations);
    assert_true(each <= MOST_BYTES);
    assert_int_equal(stats(0).resets, 0);
    assert_int_equal(weir_close(ep[0]), 0);
    mem_free(mem);
    free(data);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_takes_at_most_1300_bytes),
    };
    bool valid = argc == 1 || (argc == 3 && strcmp(argv[1], "--peers") == 0);
    if (argc == 3)
        peers = (uint32_t)strtoul(argv[2], NULL, 10);
    if (!valid || peers < 100 || peers > 60000) {
        (void)fprintf(stderr, "usage: test_many [--peers 100..60000]\n");
        return 2;
    }
    return cmocka_run_group_tests_name("endpoint/many", tests, NULL, NULL);
}
