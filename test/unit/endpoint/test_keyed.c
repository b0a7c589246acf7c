/* test/unit/endpoint/test_keyed.c - connections with keys: the handshake in either order, at once, with packets lost; a
 * restarted peer; ends that do not fit each other; hints that nobody vouches for. */
#include "test/unit/endpoint/keyed_test.h"

static void check_pair(uint32_t a, uint32_t b)
{
    struct weir_peer *p = peer(a, b), *q = peer(b, a);
    assert_int_equal(p->state, EP_PEER_UP);
    assert_int_equal(q->state, EP_PEER_UP);
    assert_memory_equal(p->seal->seal.secret, q->seal->seal.secret, WEIR_KEY_BYTES);
    assert_int_equal(p->seal->seal.direction, 1 - q->seal->seal.direction);
    assert_null(p->opening);
    assert_null(p->pending);
    assert_null(q->opening);
    assert_null(q->pending);
    assert_string_equal(weir_peer_identity(p), "fleet");
    assert_string_equal(weir_peer_identity(q), "fleet");
}

static void nothing_is_refused(void)
{
    for (uint32_t i = 0; i < EPS; i++)
        assert_int_equal(stats(i).refused_packets + stats(i).forged_packets, 0);
}

static void a_first_message_takes_six_one_way_delays(void **state)
{
    static const char *const protections[] = { "mac", "aead" };
    (void)state;
    for (int i = 0; i < 2; i++) {
        if (i > 0)
            teardown(state);
        keyed_setup_of(protections[i]);
        assert_string_equal(weir_peer_identity(peer(0, 1)), "");
        assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
        run(1 * MS);
        expect_count(1, 1);
        expect(1, 0, WEIR_EV_MESSAGE, 0, 0);
        assert_int_equal(*(const char *)seen[1][0].data, 'x');
        assert_int_equal(seen_ns[1][0], 25 * US); /* HELLO, COOKIE, OPEN, READY, DATA */
        expect(0, 0, WEIR_EV_SENT, 0, 5);
        assert_int_equal(seen_ns[0][0], 30 * US); /* DONE */
        assert_int_equal(ep[0]->mss, KEYED_MSS);
        check_pair(0, 1);
        nothing_is_refused();
        weir_release(ep[1], seen[1][0].lease);
    }
}

static void large_messages_and_calls_arrive(void **state)
{
    unsigned char *big = noise(1000000, 1);
    (void)state;
    assert_int_equal(send_bytes(0, 1, big, 1000000, 5), 0);
    assert_int_equal(call_bytes(1, 0, big, 20000, 6, 0), 0);
    run(100 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 5);
    expect(0, 0, WEIR_EV_CALL, 0, 0);
    expect(1, 0, WEIR_EV_MESSAGE, 0, 0);
    assert_int_equal(seen[1][0].len, 1000000);
    assert_memory_equal(seen[1][0].data, big, 1000000);
    assert_memory_equal(seen[0][0].data, big, 20000);
    release_all(0);
    release_all(1);
    free(big);
}

/* Either begins first, by 0 to 31 us: every point of the other's handshake. The secret is that of one of the two. */
static void simultaneous_handshakes_connect_with_one_secret(void **state)
{
    for (uint32_t k = 0; k < 64; k++) {
        uint32_t first = k % 2;
        assert_int_equal(send_bytes(first, 1 - first, "a", 1, 1), 0);
        run(k / 2 * US);
        assert_int_equal(send_bytes(1 - first, first, "b", 1, 2), 0);
        run(200 * MS);
        for (uint32_t i = 0; i < 2; i++) {
            expect_count(i, 2);
            assert_int_equal(stats(i).resets, 0);
            assert_int_equal(stats(i).peers, 1);
            release_all(i);
        }
        check_pair(0, 1);
        teardown(state);
        keyed_setup(state);
    }
}

static void any_handshake_packet_may_be_lost(void **state)
{
    static const struct {
        uint32_t by, type;
    } lost[] = { { 0, WEIR_WIRE_HELLO },
                 { 1, WEIR_WIRE_COOKIE },
                 { 0, WEIR_WIRE_OPEN },
                 { 1, WEIR_WIRE_READY },
                 { 0, WEIR_WIRE_PING } };
    for (uint32_t both = 0; both < 2; both++)
        for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
            for (uint32_t n = 1; n < 4; n++) {
                shim[lost[i].by].lose[lost[i].type] = n;
                shim[1 - lost[i].by].lose[lost[i].type] = both * n;
                assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
                if (both)
                    assert_int_equal(send_bytes(1, 0, "y", 1, 6), 0);
                run(900 * MS);
                expect_count(0, 1 + (int)both);
                expect_count(1, 1 + (int)both);
                check_pair(0, 1);
                release_all(0);
                release_all(1);
                teardown(state);
                keyed_setup(state);
            }
}

/* The READY is the same each time: the second OPEN costs no handshake of keys. */
static unsigned char readies[8][EP_ANSWER_BYTES];
static uint32_t ready_count;

static void keep_readies(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                         const unsigned char *bytes, uint32_t length)
{
    (void)ctx, (void)from, (void)to;
    if (weir_wire_type(bytes, length) == WEIR_WIRE_READY && ready_count < 8)
        memcpy(readies[ready_count++], bytes, length);
}

static void a_lost_ready_is_repeated_as_it_was(void **state)
{
    (void)state;
    ready_count = 0;
    mem_tap(mem, keep_readies, NULL);
    shim[1].lose[WEIR_WIRE_READY] = 1;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(10 * MS);
    struct weir_peer *q = peer(1, 0);
    assert_int_equal(q->state, EP_PEER_IDLE); /* nobody has confirmed it */
    assert_non_null(q->pending);
    memcpy(readies[7], q->pending->ready, EP_READY_KEYED_BYTES);
    run(90 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 5);
    assert_int_equal(ready_count, 1); /* the first never reached the network */
    assert_memory_equal(readies[0], readies[7], EP_READY_KEYED_BYTES);
    check_pair(0, 1);
    release_all(1);
}

static void a_restarted_peer_is_recognised_by_its_new_handshake(void **state)
{
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 6, 0), 0);
    run(1 * MS); /* the call waits for its reply */
    kill_ep(1);
    assert_int_equal(start(1), 0);
    seen_count[1] = 0;
    assert_int_equal(send_bytes(1, 0, "new", 3, 8), 0);
    run(1 * MS);
    expect_count(0, 2);
    expect(0, 0, WEIR_EV_REPLY, -ECONNRESET, 6);
    expect(0, 1, WEIR_EV_MESSAGE, 0, 0);
    expect(1, 0, WEIR_EV_SENT, 0, 8);
    check_pair(0, 1);
    release_all(0);
}

/* What the restarted one says without keys ends nothing, until the timeout does. */
static void a_reset_is_a_hint_that_gives_the_timeout_its_sentence(void **state)
{
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 6, 0), 0);
    run(1 * MS);
    release_all(1);
    kill_ep(1);
    assert_int_equal(start(1), 0);
    seen_count[1] = 0;
    run(1200 * MS); /* four PINGs in peer_timeout_ns, answered by RESET from the first on, which begins the time anew */
    expect_count(0, 0);
    assert_int_equal(peer(0, 1)->hint, EP_HINT_RESET);
    run(100 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_REPLY, -ETIMEDOUT, 6);
    assert_string_equal(weir_peer_error(peer(0, 1)),
                        "10.0.0.2:4000 has sent nothing that its key authenticates since a packet that says, without "
                        "proof, that it does not know the connection: it was restarted");
    assert_int_equal(send_bytes(0, 1, "again", 5, 7), 0);
    run(1 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 7);
    assert_string_equal(weir_peer_error(peer(0, 1)), "");
    release_all(1);
}

static uint32_t pings;

static void count_pings(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                        const unsigned char *bytes, uint32_t length)
{
    (void)ctx, (void)from, (void)to;
    pings += weir_wire_type(bytes, length) == WEIR_WIRE_PING;
}

static void inject(uint32_t from, uint32_t to, const struct weir_wire_handshake *word)
{
    struct weir_net_addr a = mem_addr(from + 1, 4000), b = mem_addr(to + 1, 4000);
    unsigned char bytes[1472];
    uint32_t length =
        weir_wire_encode_handshake(word, bytes, word->type == WEIR_WIRE_HELLO ? sizeof(bytes) : EP_ANSWER_BYTES);
    mem_inject(mem, &a, &b, bytes, length);
}

/* A RESET with the right token, as somebody on the way could send it, draws one PING a second, and the PONG ends it. */
static void forged_resets_draw_one_ping_a_second(void **state)
{
    struct weir_wire_handshake reset = { .type = WEIR_WIRE_RESET };
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 6), 0);
    run(500 * MS);
    pings = 0;
    mem_tap(mem, count_pings, NULL);
    for (int i = 0; i < 1000; i++) {
        reset.token = peer(0, 1)->tx_token;
        inject(1, 0, &reset);
        run(5 * MS);
    }
    assert_in_range(pings, 5, 7);
    assert_int_equal(peer(0, 1)->state, EP_PEER_UP);
    expect_count(0, 1);
    release_all(1);
}

/* VERSIONS and an unsigned READY that refuses, of our own token: the handshake goes on. */
static void a_handshake_believes_nothing_without_a_mac(void **state)
{
    (void)state;
    shim[0].lose[WEIR_WIRE_HELLO] = 1;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    uint64_t token = peer(0, 1)->own_token;
    inject(1, 0,
           &(struct weir_wire_handshake){ .type = WEIR_WIRE_VERSIONS, .token = token, .lowest = 5, .highest = 6 });
    inject(1, 0,
           &(struct weir_wire_handshake){
               .type = WEIR_WIRE_READY, .token = token, .version = 4, .ports = 1, .mss_bytes = MSS });
    inject(1, 0,
           &(struct weir_wire_handshake){ .type = WEIR_WIRE_READY,
                                          .token = token,
                                          .version = 4,
                                          .ports = 1,
                                          .protection = 2,
                                          .cipher = 1,
                                          .key_number = 1,
                                          .mss_bytes = KEYED_MSS,
                                          .own_token = 77 });
    run(1 * MS);
    expect_count(0, 0);
    assert_int_equal(stats(0).forged_packets, 1);
    run(100 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 5);
    release_all(1);
}

/* Opens two endpoints, and sends from the first to the second. @return the result of the send, -EINPROGRESS = none yet */
static int try_pair(const char *p0, const char *k0, const char *p1, const char *k1)
{
    const char *const protection[EPS] = { p0, p1, NULL }, *const keys[EPS] = { k0, k1, NULL };
    begin_keyed(protection, keys);
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(900 * MS);
    if (seen_count[0] == 0)
        run(200 * MS);
    release_all(1);
    return seen_count[0] == 0 ? -EINPROGRESS : seen[0][0].result;
}

static void ends_that_do_not_fit_are_told(void **state)
{
    static const struct {
        const char *p0, *k0, *p1, *k1;
        int result;
        uint64_t forged; /* that the second counts, at least */
        const char *error, *error1;
    } cases[] = {
        { "mac", KEY_A, "mac", KEY_A, 0, 0, "", "" },
        { "mac", KEY_A, "aead", KEY_A, -EPROTO, 0,
          "10.0.0.2:4000 demands protection aead, and this endpoint mac: both ends need the same protection",
          "10.0.0.1:4000 demands protection mac, and this endpoint aead: both ends need the same protection" },
        { NULL, NULL, "aead", KEY_A, -EPROTO, 0,
          "10.0.0.2:4000 demands protection aead, and this endpoint none: both ends need the same protection", NULL },
        { "aead", KEY_A, "none", NULL, -EPROTO, 0,
          "10.0.0.2:4000 demands protection none, and this endpoint aead: both ends need the same protection",
          "10.0.0.1:4000 demands protection aead, and this endpoint none: both ends need the same protection" },
        { "aead", KEY_A, "aead", KEY_B, -EHOSTUNREACH, 5,
          "10.0.0.2:4000 answers nothing under key 1 'fleet': nobody is there, or it has another key", NULL },
        { "aead", KEY_A, "aead", KEY_C, -EHOSTUNREACH, 5,
          "10.0.0.2:4000 answers nothing under key 1 'fleet': nobody is there, or it has another key", NULL },
        { "aead", KEY_C KEY_A, "aead", KEY_A KEY_C, 0, 0, "", "" },
        { "aead", KEY_C, "aead", KEY_A KEY_C, 0, 0, "", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        teardown(state);
        assert_int_equal(try_pair(cases[i].p0, cases[i].k0, cases[i].p1, cases[i].k1), cases[i].result);
        assert_string_equal(weir_peer_error(peer(0, 1)), cases[i].error);
        if (cases[i].error1 != NULL)
            assert_string_equal(weir_peer_error(peer(1, 0)), cases[i].error1);
        assert_true(stats(1).forged_packets >= cases[i].forged);
        assert_true(stats(1).forged_packets == 0 || cases[i].forged > 0);
    }
    assert_string_equal(weir_peer_identity(peer(0, 1)), "pair-7"); /* the one that the opener uses */
    assert_string_equal(weir_peer_identity(peer(1, 0)), "pair-7");
}

/* Without AES-256-GCM: the opener offers the cipher again that the other has. */
static void a_processor_without_aes_decides_the_cipher(void **state)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (i > 0) {
            teardown(state);
            keyed_setup(state);
        }
        ep[i]->cipher = WEIR_CIPHER_CHACHA;
        assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
        run(100 * MS);
        expect(0, 0, WEIR_EV_SENT, 0, 5);
        check_pair(0, 1);
        assert_int_equal(peer(0, 1)->seal->seal.cipher, WEIR_CIPHER_CHACHA);
        assert_int_equal(peer(1, 0)->seal->seal.cipher, WEIR_CIPHER_CHACHA);
        release_all(1);
    }
}

/* OPEN is repeated before its refusal comes, and so is the refusal: the second says nothing new. */
static void a_cipher_that_is_refused_twice_ends_nothing(void **state)
{
    (void)state;
    mem_set_delay(mem, 40 * MS);
    ep[1]->cipher = WEIR_CIPHER_CHACHA;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(900 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 5);
    assert_int_equal(peer(0, 1)->seal->seal.cipher, WEIR_CIPHER_CHACHA);
    release_all(1);
}

/* What keys add to a peer: the seal with the smallest window. With both handshakes, which end, a little more. */
static void keys_take_little_memory(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    release_all(1);
    check_pair(0, 1); /* no handshake is kept */
    assert_int_equal(ep[0]->replay_pkts, WEIR_REPLAY_MIN);
    size_t bytes = sizeof(struct ep_seal) + WEIR_REPLAY_U64S(ep[0]->replay_pkts) * sizeof(uint64_t);
    print_message("keys of a peer: %zu bytes beside a record of %zu; of 10,000 peers %zu KB\n", bytes,
                  sizeof(struct weir_peer), bytes * 10);
    assert_true(bytes <= 336);
    assert_true(sizeof(struct ep_opening) + sizeof(struct ep_pending) <= 544);
}

static int open_with(const char *protection, const char *file, char *text, size_t size)
{
    struct weir_opts o = { .size = sizeof(o), .bind = "127.0.0.1:0", .protection = protection, .key_file = file };
    struct weir_ep *e;
    int code = weir_open(&e, &o);
    (void)snprintf(text, size, "%s", weir_open_error());
    assert_int_equal(weir_close(e), 0);
    return code;
}

static bool no_wipe; /* the kernel is older than MADV_WIPEONFORK */

int __real_madvise(void *at, size_t length, int advice);
int __wrap_madvise(void *at, size_t length, int advice);

int __wrap_madvise(void *at, size_t length, int advice)
{
    if (!no_wipe)
        return __real_madvise(at, length, advice);
    errno = EINVAL;
    return -1;
}

/* A child that goes on with the endpoint would seal other packets under the counters of its parent. */
static void keys_need_a_kernel_that_recognises_a_child(void **state)
{
    char text[1200];
    (void)state;
    no_wipe = true;
    assert_int_equal(open_with("aead", write_keys(2, KEY_A), text, sizeof(text)), -ENOTSUP);
    assert_string_equal(text,
                        "opts.protection needs a kernel that recognises a child of fork(), and this one does not; it "
                        "takes Linux 4.14; else set opts.protection to none");
    assert_int_equal(open_with("none", NULL, text, sizeof(text)), 0);
    no_wipe = false;
    assert_int_equal(open_with("aead", key_file[2], text, sizeof(text)), 0);
    (void)remove_keys(NULL);
}

static void bad_options_are_refused_in_a_sentence(void **state)
{
    char text[1200];
    const char *file = write_keys(2, KEY_A);
    (void)state;
    assert_int_equal(open_with("aead", NULL, text, sizeof(text)), -EINVAL);
    assert_string_equal(text,
                        "opts.protection needs keys, and opts.key_file names none; set opts.key_file; weir key new "
                        "FILE makes one");
    assert_int_equal(open_with(NULL, file, text, sizeof(text)), -EINVAL);
    assert_string_equal(text, "opts.key_file names keys, and opts.protection is none; set opts.protection to mac or "
                              "aead, or leave opts.key_file out");
    assert_int_equal(open_with("MAC", file, text, sizeof(text)), -EINVAL);
    assert_string_equal(text, "protection: 'MAC' is unknown; there are none, mac and aead");
    assert_int_equal(open_with("mac", "/no/such/file", text, sizeof(text)), weir_crypto_ready() ? -EINVAL : -ENOTSUP);
    if (weir_crypto_ready())
        assert_string_equal(text,
                            "key_file: /no/such/file: No such file or directory; weir key new makes a file of one key");
    assert_int_equal(chmod(file, 0640), 0);
    assert_int_equal(open_with("mac", file, text, sizeof(text)), weir_crypto_ready() ? -EINVAL : -ENOTSUP);
    assert_non_null(strstr(text, weir_crypto_ready() ? "0640" : "libsodium"));
    assert_int_equal(chmod(file, 0600), 0);
    assert_int_equal(open_with("mac", file, text, sizeof(text)), weir_crypto_ready() ? 0 : -ENOTSUP);
    (void)remove_keys(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_first_message_takes_six_one_way_delays, keyed_teardown),
        cmocka_unit_test_setup_teardown(large_messages_and_calls_arrive, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(simultaneous_handshakes_connect_with_one_secret, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(any_handshake_packet_may_be_lost, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_lost_ready_is_repeated_as_it_was, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_restarted_peer_is_recognised_by_its_new_handshake, keyed_setup,
                                        keyed_teardown),
        cmocka_unit_test_setup_teardown(a_reset_is_a_hint_that_gives_the_timeout_its_sentence, keyed_setup,
                                        keyed_teardown),
        cmocka_unit_test_setup_teardown(forged_resets_draw_one_ping_a_second, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_handshake_believes_nothing_without_a_mac, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(ends_that_do_not_fit_are_told, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_processor_without_aes_decides_the_cipher, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_cipher_that_is_refused_twice_ends_nothing, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(keys_take_little_memory, keyed_setup, keyed_teardown),
        cmocka_unit_test(keys_need_a_kernel_that_recognises_a_child),
    };
    const struct CMUnitTest always[] = { cmocka_unit_test(bad_options_are_refused_in_a_sentence) };
    int failed = cmocka_run_group_tests_name("endpoint/keyed, also without ciphers", always, NULL, NULL);
    if (weir_crypto_ready())
        failed += cmocka_run_group_tests_name("endpoint/keyed", tests, NULL, NULL);
    return failed;
}
