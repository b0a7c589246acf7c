/* test/unit/endpoint/test_forged.c - with keys, no forged, altered or repeated packet of any type has an effect. Each
 * kind has its own pair of endpoints. `test_endpoint_forged --tries N` makes N tries of each kind. */
#include "test/unit/endpoint/keyed_test.h"
#include "wire/crc32c.h"

enum { KEPT = 256, BURST = 64 };

static uint32_t tries = 300;

struct kept { /* a datagram that the first endpoint sent to the second */
    uint32_t length;
    unsigned char bytes[1472];
};
static struct kept kept[KEPT];
static uint32_t kept_count;
static uint64_t random_state;

static uint64_t next(void)
{
    uint64_t *x = &random_state;
    *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
    return *x;
}

static void keep(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                 const unsigned char *bytes, uint32_t length)
{
    struct weir_net_addr first = mem_addr(1, 4000);
    (void)ctx, (void)to;
    if (kept_count == KEPT || memcmp(from, &first, sizeof(first)) != 0)
        return;
    memcpy(kept[kept_count].bytes, bytes, length);
    kept[kept_count++].length = length;
}

static void send_one(const unsigned char *bytes, uint32_t length)
{
    struct weir_net_addr a = mem_addr(1, 4000), b = mem_addr(2, 4000);
    mem_inject(mem, &a, &b, bytes, length);
}

/* Messages and calls of all sizes both ways, and a pause in which PINGs leave. */
static void talk(void)
{
    unsigned char *big = noise(100000, 7);
    int before[2] = { seen_count[0], seen_count[1] };
    assert_int_equal(send_bytes(0, 1, big, 100000, 1), 0);
    assert_int_equal(call_bytes(0, 1, big, 10, 2, 0), 0);
    run(1200 * MS);
    assert_int_equal(send_bytes(1, 0, big, 30000, 3), 0);
    run(10 * MS);
    expect_count(0, before[0] + 2);
    expect_count(1, before[1] + 3);
    assert_memory_equal(seen[1][before[1] + 1].data, big, 10);
    release_all(0);
    release_all(1);
    assert_true(weir_cancel(ep[0], 2) == 1); /* nobody answers it */
    run(10 * MS);
    seen_count[0] = seen_count[1] = 0;
    free(big);
}

/* A pair that has spoken, whose first end was then started again. All that it sent is kept. */
static void begin_pair(const char *protection)
{
    keyed_setup_of(protection);
    random_state = 88172645463325252u;
    kept_count = 0;
    mem_tap(mem, keep, NULL);
    talk();
    assert_int_equal(weir_close(ep[0]), 0); /* CLOSE */
    ep[0] = NULL;
    run(1 * MS);
    assert_int_equal(start(0), 0);
    talk();
    mem_tap(mem, NULL, NULL);
}

/* Writes the checksum, which is 0, of an own packet. */
static void repair(unsigned char *bytes, uint32_t length)
{
    uint32_t crc = weir_crc32c(0, bytes, length);
    for (unsigned i = 0; i < 4; i++)
        bytes[20 + i] = (unsigned char)(crc >> (24 - 8 * i));
}

/* Makes a packet of a type out of a kept one: with the connection's token and a new counter, and random bytes changed;
 * or, one in four, random but for its front. */
static uint32_t forge(uint32_t type, unsigned char bytes[1472])
{
    const struct weir_peer *q = peer(1, 0);
    const struct kept *k = &kept[next() % kept_count];
    uint64_t counter = q->seal->seal.replay.top + 1 + next() % 100, token = q->rx_token;
    uint32_t length = k->length, changes = (uint32_t)(1 + next() % 3);
    memcpy(bytes, k->bytes, length);
    if (next() % 4 == 0)
        for (uint32_t i = 4; i < length; i++)
            bytes[i] = (unsigned char)next();
    bytes[0] = type >= WEIR_WIRE_OWN ? 0x41 : 0x40;
    bytes[1] = (unsigned char)type;
    bytes[2] = bytes[3] = 0;
    if (type == WEIR_WIRE_RESET || type == WEIR_WIRE_READY || type == WEIR_WIRE_COOKIE)
        token = next() % 2 == 0 ? q->tx_token : q->own_token;
    for (unsigned i = 0; i < 8; i++) {
        bytes[4 + i] = (unsigned char)(token >> (56 - 8 * i));
        bytes[12 + i] = (unsigned char)(counter >> (56 - 8 * i));
    }
    for (uint32_t i = 0; i < changes; i++)
        bytes[24 + next() % (length - 24)] ^= (unsigned char)(1u << next() % 8);
    memset(bytes + 20, 0, 4);
    if (type == WEIR_WIRE_RESET || type == WEIR_WIRE_COOKIE || type == WEIR_WIRE_VERSIONS) {
        length = type == WEIR_WIRE_COOKIE ? 36 : type == WEIR_WIRE_RESET ? 24 : 28;
        bytes[26] = bytes[27] = 0;
    }
    if (type >= WEIR_WIRE_OWN && type <= WEIR_WIRE_VERSIONS && type != WEIR_WIRE_REFUSE) {
        memset(bytes + 12, 0, 8);
        repair(bytes, length);
    }
    return length;
}

struct state { /* of the second endpoint, that no packet may change */
    struct weir_stats stats;
    struct weir_host_stats host;
    struct weir_seal seal;
    uint64_t own_token, rx_token, remote_token;
    uint8_t state;
};

static struct state state_of(void)
{
    const struct weir_peer *q = peer(1, 0);
    struct state s = { .stats = stats(1), .host = *ep[1]->host_stats, .seal = q->seal->seal };
    s.own_token = q->own_token;
    s.rx_token = q->rx_token;
    s.remote_token = q->remote_token;
    s.state = q->state;
    s.seal.failed = 0;
    return s;
}

static void check_state(const struct state *before, bool hints)
{
    struct state now = state_of();
    assert_int_equal(now.state, before->state);
    assert_true(now.own_token == before->own_token && now.rx_token == before->rx_token);
    assert_true(now.remote_token == before->remote_token);
    assert_int_equal(now.stats.messages_received, before->stats.messages_received);
    assert_int_equal(now.stats.messages_arriving, 0);
    assert_int_equal(now.stats.events_pending, 0);
    assert_int_equal(now.stats.ops_pending, before->stats.ops_pending);
    assert_int_equal(now.stats.resets, before->stats.resets);
    assert_int_equal(now.stats.handshakes, before->stats.handshakes);
    assert_int_equal(now.stats.rx_bytes_held, before->stats.rx_bytes_held);
    assert_int_equal(now.stats.credit_outstanding_bytes, before->stats.credit_outstanding_bytes);
    assert_memory_equal(&now.host, &before->host, sizeof(now.host));
    if (hints) /* its PINGs are sealed, and their PONGs come */
        return;
    assert_memory_equal(&now.seal.replay, &before->seal.replay, sizeof(now.seal.replay));
    assert_int_equal(now.seal.tx_counter, before->seal.tx_counter);
    expect_count(1, 0);
}

static void end_pair(void)
{
    talk(); /* all goes on */
    (void)keyed_teardown(NULL);
}

static void check_type(uint32_t type, const char *protection)
{
    unsigned char bytes[1472];
    struct state before;
    begin_pair(protection);
    before = state_of();
    for (uint32_t i = 0; i < tries; i += BURST) {
        for (uint32_t k = 0; k < BURST; k++)
            send_one(bytes, forge(type, bytes));
        run(50 * US);
    }
    run(1 * MS);
    check_state(&before, type == WEIR_WIRE_RESET);
    assert_true(stats(1).refused_packets + stats(1).unanswered_packets + stats(1).checksum_errors >
                before.stats.refused_packets + before.stats.unanswered_packets + before.stats.checksum_errors);
    end_pair();
}

/* All that the peer has sent, in this life and in the one before, again and again. */
static void check_repeated(const char *protection)
{
    struct state before;
    begin_pair(protection);
    before = state_of();
    for (uint32_t i = 0; i < tries;) {
        for (uint32_t k = 0; k < kept_count; k++, i++) {
            send_one(kept[k].bytes, kept[k].length);
            if (k % BURST == 0)
                run(50 * US);
        }
        run(50 * US);
    }
    run(1 * MS);
    check_state(&before, false);
    assert_true(stats(1).repeated_packets > before.stats.repeated_packets);
    end_pair();
}

static void no_forged_or_repeated_packet_has_an_effect(void **state)
{
    static const uint8_t types[] = { WEIR_PKT_DATA,    WEIR_PKT_ACK,     WEIR_PKT_REQUEST, WEIR_PKT_CREDIT,
                                     WEIR_PKT_DONE,    WEIR_PKT_CONTROL, WEIR_PKT_ABORT,   WEIR_PKT_NOTICE,
                                     WEIR_WIRE_STREAM, WEIR_WIRE_HELLO,  WEIR_WIRE_COOKIE, WEIR_WIRE_OPEN,
                                     WEIR_WIRE_READY,  WEIR_WIRE_RESET,  WEIR_WIRE_REFUSE, WEIR_WIRE_VERSIONS,
                                     WEIR_WIRE_PING,   WEIR_WIRE_PONG,   WEIR_WIRE_CLOSE };
    (void)state;
    for (size_t i = 0; i < sizeof(types); i++)
        check_type(types[i], i % 2 == 0 ? "mac" : "aead");
    check_repeated("mac");
    check_repeated("aead");
}

static void packets_before_the_window_are_late(void **state)
{
    unsigned char *big = noise(2000000, 9);
    (void)state;
    begin_pair("aead");
    assert_int_equal(ep[1]->replay_pkts, WEIR_REPLAY_MIN);
    assert_int_equal(send_bytes(0, 1, big, 2000000, 1), 0); /* 1422 packets */
    run(100 * MS);
    uint64_t late = stats(1).late_packets, refused = stats(1).refused_packets;
    release_all(1);
    seen_count[0] = seen_count[1] = 0;
    uint32_t last = kept_count - 1; /* of the present connection */
    while (weir_wire_type(kept[last].bytes, kept[last].length) != WEIR_PKT_DATA)
        last--;
    send_one(kept[last].bytes, kept[last].length);
    run(1 * MS);
    assert_int_equal(stats(1).late_packets, late + 1);
    assert_int_equal(stats(1).refused_packets, refused + 1);
    end_pair();
    free(big);
}

/* A text of 64 bytes is in no packet with aead, and in one with mac. */
static const char secret[] = "the quick brown fox jumps over the lazy dog, then over the cat.";
static bool shown;

static void look(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                 const unsigned char *bytes, uint32_t length)
{
    (void)ctx, (void)from, (void)to;
    for (uint32_t i = 0; i + 8 <= length; i++)
        for (uint32_t k = 0; k + 8 <= sizeof(secret); k += 8)
            shown |= memcmp(bytes + i, secret + k, 8) == 0;
}

static void aead_hides_the_payload(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        keyed_setup_of(i == 0 ? "mac" : "aead");
        shown = false;
        mem_tap(mem, look, NULL);
        assert_int_equal(send_bytes(0, 1, secret, sizeof(secret), 1), 0);
        run(1 * MS);
        assert_int_equal(shown, i == 0);
        assert_memory_equal(seen[1][0].data, secret, sizeof(secret));
        release_all(1);
        (void)keyed_teardown(NULL);
    }
}

/* What switches may write is random in every packet that has it: all arrives, and memory stays bounded. */
static void write_areas(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                        const unsigned char *bytes, uint32_t length)
{
    unsigned char *area = (unsigned char *)(uintptr_t)bytes + 4;
    uint32_t *areas = ctx;
    (void)from, (void)to;
    if (length < 8 || bytes[2] >> 5 == 0)
        return;
    for (uint32_t i = 0; i < 4; i++)
        area[i] = (unsigned char)next();
    ++*areas;
}

static void any_switch_area_delivers_every_message(void **state)
{
    unsigned char *big = noise(300000, 9);
    uint32_t areas = 0, runs = tries / 100 < 500 ? tries / 100 : 500;
    (void)state;
    begin_keyed((const char *const[EPS]){ "aead", "aead", NULL }, (const char *const[EPS]){ KEY_A, KEY_A, NULL });
    opts[0].cc = opts[1].cc = "soze";
    random_state = 88172645463325252u;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    shim_write_area = write_areas;
    shim_area_ctx = &areas;
    for (uint32_t i = 0; i < runs; i++) {
        assert_int_equal(send_bytes(0, 1, big, 300000, i), 0);
        assert_int_equal(send_bytes(1, 0, big, 5000, i), 0);
        run(5 * SECOND);
        expect_count(0, 2);
        expect_count(1, 2);
        for (uint32_t k = 0; k < 2; k++)
            for (int n = 0; n < 2; n++)
                assert_int_equal(seen[k][n].result, 0);
        release_all(0);
        release_all(1);
        seen_count[0] = seen_count[1] = 0;
        assert_int_equal(stats(1).rx_bytes_held, stats(1).rx_bytes_held & 0xfffff); /* records alone */
    }
    shim_write_area = NULL;
    assert_true(areas > 200 * runs);
    assert_int_equal(stats(0).forged_packets + stats(1).forged_packets, 0);
    (void)keyed_teardown(NULL);
    free(big);
}

/* Once warm, keys take nothing of the heap: nor does a new connection of the same peers. */
static void a_warm_endpoint_with_keys_allocates_nothing(void **state)
{
    uint64_t warm[2];
    (void)state;
    begin_pair("aead");
    talk();
    for (uint32_t i = 0; i < 2; i++)
        warm[i] = stats(i).allocations;
    for (int i = 0; i < 3; i++)
        talk();
    assert_int_equal(stats(0).allocations, warm[0]);
    assert_int_equal(stats(1).allocations, warm[1]);
    assert_int_equal(weir_close(ep[0]), 0);
    ep[0] = NULL;
    run(1 * MS);
    assert_int_equal(start(0), 0);
    talk();
    assert_int_equal(stats(1).allocations, warm[1]);
    (void)keyed_teardown(NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_forged_or_repeated_packet_has_an_effect),
        cmocka_unit_test(packets_before_the_window_are_late),
        cmocka_unit_test(aead_hides_the_payload),
        cmocka_unit_test(any_switch_area_delivers_every_message),
        cmocka_unit_test(a_warm_endpoint_with_keys_allocates_nothing),
    };
    if (argc == 3 && strcmp(argv[1], "--tries") == 0)
        tries = (uint32_t)strtoul(argv[2], NULL, 10);
    return cmocka_run_group_tests_name("endpoint/forged", tests, NULL, NULL);
}
