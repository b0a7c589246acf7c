/* test/net/test_hostile.c - datagrams from people who mean harm: from outside (any source address, no token), from somebody who has
 * recorded what others said, and from a peer that has lost its mind. Nothing of it is delivered, memory keeps its bounds, nobody is
 * answered with more than he sent, and the others' business goes on. */
#include "test/unit/weir_test.h"
#include "test/net/forge.h"
#include "test/net/world.h"
#include "test/unit/endpoint/internals.h"
#include "core/rng.h"
#include "wire/wire.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)

enum { RECORDS_MAX = 20000, DATAGRAM_MAX = 1472, RX_BYTES = 4 << 20, FLOOD = 5000 };

struct record { /* a datagram seen on the network */
    struct weir_net_addr from, to;
    uint32_t length;
    unsigned char bytes[DATAGRAM_MAX];
};
static struct record *records;
static uint32_t record_count;
static bool recording;
static struct weir_rng rng;
static struct world *w;

static void tap(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to, const unsigned char *bytes,
                uint32_t length)
{
    struct record *r = &records[record_count];
    (void)ctx;
    if (!recording || record_count == RECORDS_MAX)
        return;
    record_count++;
    *r = (struct record){ .from = *from, .to = *to, .length = length };
    memcpy(r->bytes, bytes, length);
}

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

static int begin(void **state)
{
    struct world_config cfg = world_defaults(0, 4711);
    (void)state;
    cfg.endpoints = 3;
    cfg.opts.rx_bytes = RX_BYTES;
    cfg.mem.strangers = 65536;
    cfg.traffic.cancel_ppm = cfg.traffic.deadline_ppm = 0;
    cfg.traffic.bytes_max = 60000;
    w = world_new(&cfg);
    records = malloc(RECORDS_MAX * sizeof(*records));
    assert_non_null(records);
    record_count = 0;
    recording = false;
    rng = (struct weir_rng){ .key = weir_rng_key(4711, 3, WEIR_RNG_TEST, 0) };
    mem_tap(w->mem, tap, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    world_free(w);
    free(records);
    return 0;
}

/* Business between all three; whatever was done to them, it ends well. */
static void business(uint32_t operations)
{
    w->cfg.traffic.operations = w->started + operations;
    world_run_all(w, 100 * SECOND_NS);
}

static void pass(uint64_t ns)
{
    world_run_until(w, world_now_ns(w) + ns);
}

static struct weir_net_addr addr_of(uint32_t i)
{
    return mem_addr(i + 1, WORLD_PORT);
}

static struct weir_net_addr stranger(uint32_t n)
{
    return mem_addr(100000 + n, (uint16_t)(1000 + n % 5000));
}

static bool between(const struct record *r, uint32_t from, uint32_t to)
{
    struct weir_net_addr a = addr_of(from), b = addr_of(to);
    return memcmp(&r->from, &a, sizeof(a)) == 0 && memcmp(&r->to, &b, sizeof(b)) == 0;
}

static void inject(const struct weir_net_addr *from, uint32_t to, const void *bytes, uint32_t length)
{
    struct weir_net_addr addr = addr_of(to);
    mem_inject(w->mem, from, &addr, bytes, length);
}

static void no_answer_is_larger(void)
{
    assert_int_equal(mem_stats(w->mem)->answers_larger, 0);
    assert_int_equal(mem_stats(w->mem)->answers_uninvited, 0);
}

/* What may not change, whatever strangers send. */
struct holding {
    uint64_t peers;
    uint64_t allocations, rx, tx, received;
};

static struct holding holding(uint32_t i)
{
    struct weir_stats s = world_stats(w, i);
    return (struct holding){ s.peers, s.allocations, s.rx_bytes_held, s.tx_bytes_held, s.messages_received };
}

static void holds_the_same(uint32_t i, const struct holding *before)
{
    struct holding now = holding(i);
    assert_memory_equal(&now, before, sizeof(now));
}

/* The first recorded packet of a message from one to another. */
static const struct record *data_record(uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < record_count; i++)
        if (between(&records[i], from, to) && weir_wire_type(records[i].bytes, records[i].length) == WEIR_PKT_DATA)
            return &records[i];
    fail_msg("nothing was recorded");
    return NULL;
}

/* The receiver's token of a connection, as an eavesdropper reads it. */
static uint64_t token_towards(uint32_t from, uint32_t to)
{
    static const struct weir_framing framing = { 1423, 115, 20, 84, 84 };
    const struct record *r = data_record(from, to);
    struct weir_wire_head head;
    assert_int_equal(weir_wire_decode(r->bytes, r->length, &framing, &head), WEIR_WIRE_OK);
    return head.token;
}

static void the_right_token_from_a_wrong_address_is_nothing(void **state)
{
    struct weir_net_addr wrong = stranger(1);
    struct holding before;
    uint64_t refused;
    (void)state;
    recording = true;
    business(200);
    recording = false;
    before = holding(1);
    refused = world_stats(w, 1).refused_packets;
    for (uint32_t i = 0, sent = 0; i < record_count && sent < 500; i++) {
        if (!between(&records[i], 0, 1) || weir_wire_type(records[i].bytes, records[i].length) >= WEIR_WIRE_OWN)
            continue;
        inject(&wrong, 1, records[i].bytes, records[i].length);
        pass(10000);
        sent++;
        assert_int_equal(world_stats(w, 1).refused_packets, refused + sent);
    }
    holds_the_same(1, &before);
    no_answer_is_larger();
    business(200);
    world_check(w);
}

/* Every datagram of a connection once more, in any order, while its ends are busy: running totals, handles used again. */
static void what_was_said_before_changes_nothing(void **state)
{
    uint32_t count;
    (void)state;
    recording = true;
    business(2000);
    recording = false;
    count = record_count;
    assert_true(count > 5000);
    for (uint32_t round = 0; round < 30; round++) {
        w->cfg.traffic.operations = w->started + 200;
        for (uint32_t n = 0; n < count / 10; n++) {
            const struct record *r = &records[below(count)];
            mem_inject(w->mem, &r->from, &r->to, r->bytes, r->length);
            if (n % 16 == 0)
                pass(5000);
        }
        world_run_all(w, 100 * SECOND_NS);
    }
    world_check(w);
    world_print(w, "replayed");
}

/* A peer dies and comes back at its address; then all that its former self said and heard is said again. */
static void what_an_earlier_incarnation_said_changes_nothing(void **state)
{
    uint64_t resets;
    (void)state;
    recording = true;
    business(1000);
    recording = false;
    world_kill(w, 0);
    world_restart(w, 0);
    w->allow[0] = WORLD_RESET;
    business(300); /* whoever had not heard of it has now */
    w->allow[0] = 0;
    resets = world_stats(w, 1).resets;
    for (uint32_t round = 0; round < 3; round++) {
        w->cfg.traffic.operations = w->started + 300;
        for (uint32_t i = 0; i < record_count; i++) {
            const struct record *r = &records[round == 0 ? i : below(record_count)];
            mem_inject(w->mem, &r->from, &r->to, r->bytes, r->length);
            if (i % 16 == 0)
                pass(5000);
        }
        world_run_all(w, 100 * SECOND_NS);
    }
    assert_true(world_stats(w, 1).refused_packets > 0);
    assert_true(world_stats(w, 1).resets >= resets);
    world_check(w);
    world_print(w, "old incarnation");
}

static void all_is_lost_on_the_way_to(uint32_t i, bool lost)
{
    struct weir_fault_config none = { .in.loss_ppm = lost ? 1000000 : 0 };
    weir_fault_set(w->end[i].net, &none);
}

/* A peer believes that we are connected, sends, and dies before we heard a word: our token was told to two of its lives. What the
 * first one sent comes while the second one's messages are on their way, under the same numbers. */
static void late_packets_of_a_peer_that_died_unheard(void **state)
{
    uint32_t late = 0;
    (void)state;
    recording = true;
    (void)world_start(w, 0, 1, WORLD_SEND, 100, 0);
    for (uint32_t n = 0; n < 10; n++)
        (void)world_start(w, 1, 0, WORLD_SEND, 50 + n, 0);
    pass(12000); /* 0 has sent its OPEN */
    all_is_lost_on_the_way_to(0, true);
    pass(MS_NS);
    recording = false;
    w->allow[1] = WORLD_RESET;
    world_kill(w, 1);
    all_is_lost_on_the_way_to(0, false);
    world_restart(w, 1);
    for (uint32_t n = 0; n < 10; n++)
        (void)world_start(w, 1, 0, WORLD_SEND, 200 + n, 0);
    for (uint32_t step = 0; step < 40 && world_stats(w, 0).peers == 0; step++)
        pass(1000);
    for (uint32_t i = 0; i < record_count; i++)
        if (between(&records[i], 1, 0) && weir_wire_type(records[i].bytes, records[i].length) == WEIR_PKT_DATA) {
            mem_inject(w->mem, &records[i].from, &records[i].to, records[i].bytes, records[i].length);
            late++;
        }
    assert_int_equal(world_stats(w, 0).peers, 1); /* up with the second life, which does not know it yet */
    assert_true(late >= 10);
    business(100);
    world_check(w);
}

static uint32_t head_with(struct weir_pkt *pkt, uint64_t token, unsigned char *out)
{
    memset(out + WEIR_WIRE_HEAD_BYTES, 0x77, pkt->payload_bytes);
    return forge(pkt, token, out);
}

/* Near 0, near 2^31, near 2^32, or anything. */
static uint32_t odd_number(void)
{
    static const uint32_t base[] = { 0, 0, 8192, 0x7ffffff0, 0xfffffff0 };
    uint32_t how = below(8);
    return how < 5 ? base[how] + below(16) : (uint32_t)weir_rng_next(&rng);
}

static struct weir_pkt odd_packet(void)
{
    static const uint8_t kinds[] = { WEIR_PKT_DATA,   WEIR_PKT_ACK,  WEIR_PKT_REPLY,   WEIR_PKT_REQUEST,
                                     WEIR_PKT_CREDIT, WEIR_PKT_DONE, WEIR_PKT_CONTROL, WEIR_PKT_ABORT };
    static const uint8_t flags[] = {
        [WEIR_PKT_DATA] = WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_RETX | WEIR_PKT_OWN | WEIR_PKT_UNSCHED,
        [WEIR_PKT_CREDIT] = WEIR_PKT_RETX,
        [WEIR_PKT_CONTROL] = WEIR_PKT_OWN,
        [WEIR_PKT_ABORT] = 0,
    };
    struct weir_pkt pkt = {
        .kind = kinds[below(8)] & 15u, .conn = odd_number(), .msg = odd_number(), .ack = odd_number()
    };
    pkt.seq = 1 + odd_number() % UINT32_MAX; /* never the first, so that no forged message is ever complete */
    pkt.flags =
        (uint8_t)(below(4) ? weir_rng_next(&rng) & flags[pkt.kind] : weir_rng_next(&rng)); /* mostly sound ones */
    pkt.class_id = WEIR_PKT_CLASS(below(8));
    pkt.msg_bytes = (uint64_t)below(20000) << 48 | (below(2) ? weir_rng_next(&rng) >> 16 : 200000 + below(10000000));
    if (pkt.kind == WEIR_PKT_DATA)
        pkt.payload_bytes = WEIR_PKT_BYTES(1 + below(1423));
    return pkt;
}

static void packets_without_the_token_are_nothing(void **state)
{
    struct weir_net_addr peer = addr_of(0);
    unsigned char bytes[DATAGRAM_MAX];
    struct holding before;
    uint64_t refused, token;
    (void)state;
    recording = true;
    business(200);
    recording = false;
    token = token_towards(0, 1);
    before = holding(1);
    refused = world_stats(w, 1).refused_packets;
    for (uint32_t n = 0; n < FLOOD; n++) {
        struct weir_pkt pkt = odd_packet();
        uint64_t wrong = n % 2 ? weir_rng_next(&rng)
                               : token ^ UINT64_C(1) << (16 + n / 2 % 48); /* one bit is enough, but of the tag */
        uint32_t length = head_with(&pkt, wrong, bytes);
        inject(&peer, 1, bytes, length);
        pass(2000);
    }
    pass(MS_NS);
    assert_int_equal(world_stats(w, 1).refused_packets, refused + FLOOD);
    holds_the_same(1, &before);
    business(200); /* also between 0 and 1: no RESET that followed meant anybody */
    world_check(w);
}

/* A peer that has lost its mind says what it likes, with its token: it harms itself. */
static void a_peer_gone_mad_harms_nobody_else(void **state)
{
    struct weir_net_addr peer = addr_of(0);
    unsigned char bytes[DATAGRAM_MAX];
    uint64_t token;
    (void)state;
    recording = true;
    business(200);
    recording = false;
    token = token_towards(0, 1);
    w->end[0].asleep = true; /* it is us who speak for it */
    w->allow[0] = WORLD_RESET | WORLD_SILENT;
    for (uint32_t n = 0; n < 4 * FLOOD; n++) {
        struct weir_pkt pkt = odd_packet();
        uint32_t length = head_with(&pkt, token, bytes);
        inject(&peer, 1, bytes, length);
        pass(2000);
        assert_true(world_stats(w, 1).rx_bytes_held <= RX_BYTES);
        if (n % 1000 == 0)
            (void)world_start(w, n % 2000 ? 1 : 2, n % 2000 ? 2 : 1, WORLD_CALL, 20000, 0);
    }
    world_kill(w, 0);
    w->end[0].asleep = false;
    world_restart(w, 0);
    business(200);
    pass(30 * SECOND_NS);
    w->allow[0] = 0;
    business(500);
    world_check(w);
    world_print(w, "gone mad");
}

static void what_is_no_packet_is_nothing(void **state)
{
    struct weir_net_addr peer = addr_of(0), other = stranger(2);
    unsigned char bytes[DATAGRAM_MAX];
    struct holding before;
    uint64_t seen;
    (void)state;
    recording = true;
    business(100);
    recording = false;
    before = holding(1);
    seen = world_stats(w, 1).refused_packets + world_stats(w, 1).checksum_errors;
    for (uint32_t n = 0; n < FLOOD; n++) {
        const struct record *r = &records[below(record_count)];
        uint32_t length = n % 3 == 0 ? below(DATAGRAM_MAX + 1) : r->length;
        for (uint32_t i = 0; i < DATAGRAM_MAX; i++)
            bytes[i] = (unsigned char)weir_rng_next(&rng);
        if (n % 3 > 0) { /* a real one, cut short or with one byte changed */
            memcpy(bytes, r->bytes, r->length);
            if (n % 3 == 1)
                length = below(r->length < WEIR_WIRE_HEAD_BYTES ? r->length : WEIR_WIRE_HEAD_BYTES);
            else
                bytes[below(r->length < 24 ? r->length : 24)] ^= (unsigned char)(1 + below(255));
        }
        if (bytes[0] >> 4 > WEIR_WIRE_VERSION) /* a later version is answered by VERSIONS */
            bytes[0] = (unsigned char)(0x30 | (bytes[0] & 0x0f));
        inject(n % 2 ? &peer : &other, 1, bytes, length);
        pass(2000);
    }
    pass(MS_NS);
    assert_int_equal(world_stats(w, 1).refused_packets + world_stats(w, 1).checksum_errors, seen + FLOOD);
    holds_the_same(1, &before);
    no_answer_is_larger();
    business(200);
    world_check(w);
}

static uint32_t hello(unsigned char *bytes, uint64_t token)
{
    struct weir_wire_handshake word = {
        .type = WEIR_WIRE_HELLO, .token = token, .version = WEIR_WIRE_VERSION, .ports = 1, .mss_bytes = 1423
    };
    return weir_wire_encode_handshake(&word, bytes, DATAGRAM_MAX);
}

/* Thousands ask for a cookie: each gets at most one, and nothing of it is remembered. */
static void a_flood_of_hellos_leaves_nothing_behind(void **state)
{
    unsigned char bytes[DATAGRAM_MAX];
    struct holding before;
    (void)state;
    business(100);
    before = holding(1);
    for (uint32_t n = 0; n < FLOOD; n++) {
        struct weir_net_addr from = stranger(n);
        assert_int_equal(hello(bytes, weir_rng_next(&rng)), DATAGRAM_MAX);
        inject(&from, 1, bytes, DATAGRAM_MAX);
        pass(2000);
    }
    holds_the_same(1, &before);
    assert_true(mem_stats(w->mem)->answers > 0);
    no_answer_is_larger();
    for (uint32_t n = 0; n < FLOOD; n++) { /* not filled up: an answer might be larger, so there is none */
        struct weir_net_addr from = stranger(10000 + n);
        uint32_t length = hello(bytes, weir_rng_next(&rng)) == DATAGRAM_MAX ? 24 + n % 40 : 0;
        inject(&from, 1, bytes, length);
        pass(2000);
    }
    holds_the_same(1, &before);
    no_answer_is_larger();
    business(100);
    world_check(w);
}

static uint32_t open_word(unsigned char *bytes, uint64_t token, uint64_t cookie, uint32_t epoch)
{
    struct weir_wire_handshake word = {
        .type = WEIR_WIRE_OPEN,
        .token = token,
        .cookie = cookie,
        .cookie_epoch = epoch,
        .version = WEIR_WIRE_VERSION,
        .ports = 1,
        .mss_bytes = 1423,
        .law = w->end[1].ep->law,
        .law_bytes = (uint16_t)strlen(w->end[1].ep->law),
    };
    return weir_wire_encode_handshake(&word, bytes, DATAGRAM_MAX);
}

static void a_flood_of_bad_cookies_opens_nothing(void **state)
{
    unsigned char bytes[DATAGRAM_MAX];
    struct holding before;
    (void)state;
    business(100);
    before = holding(1);
    for (uint32_t n = 0; n < FLOOD; n++) {
        struct weir_net_addr from = n % 4 ? stranger(n) : addr_of(0);
        uint32_t length = open_word(bytes, weir_rng_next(&rng), weir_rng_next(&rng), below(1000));
        inject(&from, 1, bytes, length);
        pass(2000);
    }
    holds_the_same(1, &before);
    no_answer_is_larger();
    business(100);
    world_check(w);
}

/* Asks from this address and opens from that one with the cookie that came, `later_ns` later. @return peers more than before */
static uint32_t try_to_open(uint32_t asks, uint32_t opens, uint64_t token, uint64_t other_token, uint64_t later_ns)
{
    struct weir_net_addr from = stranger(asks), to = stranger(opens);
    unsigned char bytes[DATAGRAM_MAX];
    struct weir_wire_handshake word = { 0 };
    uint32_t before = world_stats(w, 1).peers;
    record_count = 0;
    recording = true;
    (void)hello(bytes, token);
    inject(&from, 1, bytes, DATAGRAM_MAX);
    pass(20000);
    recording = false;
    for (uint32_t i = 0; i < record_count; i++)
        if (weir_wire_type(records[i].bytes, records[i].length) == WEIR_WIRE_COOKIE)
            assert_int_equal(weir_wire_decode_handshake(records[i].bytes, records[i].length, &word), WEIR_WIRE_OK);
    if (word.type != WEIR_WIRE_COOKIE)
        return 0;
    pass(later_ns);
    inject(&to, 1, bytes, open_word(bytes, other_token, word.cookie, word.cookie_epoch));
    pass(20000);
    return world_stats(w, 1).peers - before;
}

static void a_cookie_is_good_for_one_address_one_token_and_some_time(void **state)
{
    (void)state;
    business(100);
    assert_int_equal(try_to_open(1, 1, 77 << 16, 77 << 16, 0), 1); /* so it is done */
    assert_int_equal(try_to_open(2, 3, 77 << 16, 77 << 16, 0), 0);
    assert_int_equal(try_to_open(4, 4, 77 << 16, 78 << 16, 0), 0);
    assert_int_equal(try_to_open(5, 5, 77 << 16, 77 << 16, 3600 * SECOND_NS), 0);
    assert_int_equal(mem_stats(w->mem)->answers_larger, 0);
    assert_true(mem_stats(w->mem)->answers_uninvited <=
                3); /* the one who did it is told of new tags until it is silent */
    business(100);
    world_check(w);
}

/* More addresses than max_peers prove themselves: those that the application knows are not pushed out. */
static void strangers_who_are_who_they_say_have_a_bound(void **state)
{
    (void)state;
    business(100);
    for (uint32_t n = 0; n < 300; n++) {
        (void)try_to_open(n, n, 1000 + n, 1000 + n, 0);
        assert_true(world_stats(w, 1).peers <= w->cfg.opts.max_peers);
    }
    assert_true(world_stats(w, 1).peers > 10);
    assert_int_equal(mem_stats(w->mem)->answers_larger, 0);
    assert_true(mem_stats(w->mem)->answers_uninvited <= 300); /* who is pushed out is told: he had proven himself */
    business(300);
    world_check(w);
}

/* Packets of nobody known are answered so that a peer learns that we restarted; 4000 a second are enough for that. */
static void resets_are_rare(void **state)
{
    unsigned char bytes[DATAGRAM_MAX];
    uint64_t answers, first;
    (void)state;
    business(100);
    answers = mem_stats(w->mem)->answers;
    for (uint32_t second = 0; second < 2; second++) {
        first = mem_stats(w->mem)->answers;
        for (uint32_t n = 0; n < 4 * FLOOD; n++) {
            struct weir_net_addr from = stranger(second * 20000 + n);
            struct weir_pkt pkt = odd_packet();
            uint32_t length = head_with(&pkt, weir_rng_next(&rng), bytes);
            inject(&from, 1, bytes, length);
            pass(SECOND_NS / (4 * FLOOD));
        }
        assert_in_range(mem_stats(w->mem)->answers - first, 3990, 4000 + 256 + 10);
    }
    assert_true(mem_stats(w->mem)->answers > answers);
    no_answer_is_larger();
    business(100);
    world_check(w);
}

static void a_reset_that_names_no_connection_is_nothing(void **state)
{
    struct weir_net_addr peer = addr_of(0), wrong = stranger(3);
    unsigned char bytes[64];
    uint64_t token, resets;
    (void)state;
    recording = true;
    business(100);
    recording = false;
    token =
        token_towards(1, 0); /* what 1 writes to 0: whoever hears it may end the connection, from 0's address only */
    resets = world_stats(w, 1).resets;
    for (uint32_t n = 0; n < 2000; n++) {
        struct weir_wire_handshake word = { .type = n % 3 == 2 ? WEIR_WIRE_REFUSE : WEIR_WIRE_RESET, .counter = 1 };
        word.token = n % 2 ? token : token ^ UINT64_C(1) << (16 + n / 2 % 48);
        if (n % 3 == 2)
            word.number = odd_number(), word.msg = odd_number(), word.token = weir_rng_next(&rng);
        inject(n % 2 ? &wrong : &peer, 1, bytes, weir_wire_encode_handshake(&word, bytes, sizeof(bytes)));
        pass(2000);
    }
    assert_int_equal(world_stats(w, 1).resets, resets);
    no_answer_is_larger();
    business(300);
    world_check(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_right_token_from_a_wrong_address_is_nothing, begin, end),
        cmocka_unit_test_setup_teardown(what_was_said_before_changes_nothing, begin, end),
        cmocka_unit_test_setup_teardown(what_an_earlier_incarnation_said_changes_nothing, begin, end),
        cmocka_unit_test_setup_teardown(late_packets_of_a_peer_that_died_unheard, begin, end),
        cmocka_unit_test_setup_teardown(packets_without_the_token_are_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_peer_gone_mad_harms_nobody_else, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_packet_is_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_flood_of_hellos_leaves_nothing_behind, begin, end),
        cmocka_unit_test_setup_teardown(a_flood_of_bad_cookies_opens_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_cookie_is_good_for_one_address_one_token_and_some_time, begin, end),
        cmocka_unit_test_setup_teardown(strangers_who_are_who_they_say_have_a_bound, begin, end),
        cmocka_unit_test_setup_teardown(resets_are_rare, begin, end),
        cmocka_unit_test_setup_teardown(a_reset_that_names_no_connection_is_nothing, begin, end),
    };
    return cmocka_run_group_tests_name("net/hostile", tests, NULL, NULL);
}
