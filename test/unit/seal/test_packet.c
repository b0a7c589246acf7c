/* test/unit/seal/test_packet.c - sealed datagrams: known bytes, epochs, and what a receiver must refuse. */
#include "test/unit/seal/seal_test.h"
#include "seal/derive.h"
#include "seal/packet.h"

enum { AREA = 20, HEAD = 4 + AREA + 16 + 4, BODY = 13, SIZE = HEAD + BODY + WEIR_TAG_BYTES, EPOCH = 1 << 22 };

static const enum weir_protection both_modes[] = { WEIR_PROTECT_MAC, WEIR_PROTECT_AEAD };
static struct weir_seal tx, rx; /* of the initiator; of the responder */
static uint64_t tx_seen[WEIR_REPLAY_U64S(1024)], rx_seen[WEIR_REPLAY_U64S(1024)], counts[WEIR_OPEN_RESULTS];
static uint8_t secret[WEIR_KEY_BYTES], datagram[SIZE];

static void begin(enum weir_protection mode, enum weir_cipher cipher)
{
    for (size_t i = 0; i < sizeof(secret); i++)
        secret[i] = (uint8_t)(0xa0 + i);
    weir_seal_init(&tx, mode, cipher, true, secret, tx_seen, 1024);
    weir_seal_init(&rx, mode, cipher, false, secret, rx_seen, 1024);
    memset(counts, 0, sizeof(counts));
}

/* A datagram but for its counter and payload. */
static void fill(void)
{
    static const uint8_t fixed[4] = { 0x43, 0x07, 0x21, 0x05 },
                         token[8] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 };
    memset(datagram, 0xee, sizeof(datagram));
    memcpy(datagram, fixed, 4);
    memcpy(datagram + 4 + AREA, token, 8);
    memcpy(datagram + HEAD - 4, "rest", 4);
}

static void seal(void)
{
    fill();
    weir_seal_packet(&tx, datagram, &(struct weir_seal_range){ AREA, HEAD, HEAD + BODY }, "payload of it");
}

/* As seal(), with this counter. */
static void seal_at(uint64_t counter)
{
    tx.tx_counter = counter - 1;
    weir_derive_packet_key(tx.tx_key, secret, 0, tx.tx_counter >> WEIR_SEAL_EPOCH_BITS);
    seal();
}

static enum weir_opened try_open(void)
{
    return weir_seal_open(&rx, datagram, SIZE, AREA, HEAD, counts);
}

static void expect(enum weir_opened wanted)
{
    uint64_t before = counts[wanted];
    assert_int_equal(try_open(), wanted);
    assert_int_equal(counts[wanted], before + 1);
    if (wanted == WEIR_OPENED)
        assert_memory_equal(datagram + HEAD, "payload of it", BODY);
}

/* Computed by another implementation of both ciphers (Python's cryptography). */
static void sealed_datagrams_are_these_bytes(void **state)
{
#define FRONT "43072105eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee1122334455667788000000000000000172657374"
    static const struct {
        enum weir_cipher cipher;
        enum weir_protection mode;
        const char *bytes;
    } table[] = {
        { WEIR_CIPHER_AES_GCM, WEIR_PROTECT_MAC, FRONT "7061796c6f6164206f662069749cc7492eb0f8add67cf6028402e631e9" },
        { WEIR_CIPHER_AES_GCM, WEIR_PROTECT_AEAD, FRONT "b8763a533fda7f1ed207370aa438fd15b088377f7eb422dd10fb67dcc7" },
        { WEIR_CIPHER_CHACHA, WEIR_PROTECT_MAC, FRONT "7061796c6f6164206f66206974b88a0be133423e35e76acf7d4fcfdccd" },
        { WEIR_CIPHER_CHACHA, WEIR_PROTECT_AEAD, FRONT "3dacf27abf39649d936a12a9ddbd00af6d97e49c8c4c1fd066bf9801cf" },
    };
    (void)state;
    needs_sodium();
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (!weir_crypto_has(table[i].cipher))
            continue;
        begin(table[i].mode, table[i].cipher);
        seal();
        assert_int_equal(tx.tx_counter, 1);
        assert_hex(datagram, SIZE, table[i].bytes);
        expect(WEIR_OPENED);
        expect(WEIR_OPEN_REPEATED);
    }
}

static void a_payload_may_be_in_place_and_may_be_empty(void **state)
{
    uint8_t copy[SIZE];
    (void)state;
    needs_sodium();
    for (size_t m = 0; m < 2; m++) {
        begin(both_modes[m], WEIR_CIPHER_CHACHA);
        seal_at(9);
        memcpy(copy, datagram, SIZE);
        tx.tx_counter = 8;
        fill();
        memcpy(datagram + HEAD, "payload of it", BODY);
        weir_seal_packet(&tx, datagram, &(struct weir_seal_range){ AREA, HEAD, HEAD + BODY }, datagram + HEAD);
        assert_memory_equal(datagram, copy, SIZE);
        fill();
        weir_seal_packet(&tx, datagram, &(struct weir_seal_range){ AREA, HEAD, HEAD }, NULL);
        assert_int_equal(weir_seal_open(&rx, datagram, HEAD + WEIR_TAG_BYTES, AREA, HEAD, counts), WEIR_OPENED);
    }
}

/* The least datagram: no area, nothing behind the counter. */
static void an_ack_may_be_36_bytes(void **state)
{
    uint8_t bytes[36] = { 0x40, 1 };
    (void)state;
    needs_sodium();
    for (size_t m = 0; m < 2; m++) {
        begin(both_modes[m], WEIR_CIPHER_CHACHA);
        weir_seal_packet(&tx, bytes, &(struct weir_seal_range){ 0, 20, 20 }, NULL);
        assert_int_equal(weir_seal_open(&rx, bytes, 35, 0, 20, counts), WEIR_OPEN_SHORT);
        assert_int_equal(weir_seal_open(&rx, bytes, 36, 0, 20, counts), WEIR_OPENED);
    }
}

static void every_bit_is_authenticated_but_those_of_the_area(void **state)
{
    (void)state;
    needs_sodium();
    for (size_t m = 0; m < 2; m++) {
        begin(both_modes[m], WEIR_CIPHER_CHACHA);
        for (size_t bit = 0; bit < 8 * SIZE; bit++) {
            bool of_area = bit / 8 >= 4 && bit / 8 < 4 + AREA, of_counter = bit / 8 >= 32 && bit / 8 < 40;
            enum weir_opened result;
            seal_at(2 * EPOCH + 5000 + bit);
            rx.replay.top = 2 * EPOCH + 100; /* epoch 2 */
            weir_derive_packet_key(rx.rx_key[0], secret, 0, 2);
            datagram[bit / 8] ^= (uint8_t)(1u << bit % 8);
            result = try_open();
            if (of_area)
                assert_int_equal(result, WEIR_OPENED);
            else if (of_counter)
                assert_int_not_equal(result, WEIR_OPENED);
            else
                assert_int_equal(result, WEIR_OPEN_FORGED);
        }
        assert_int_equal(counts[WEIR_OPENED], 8 * AREA);
    }
}

static void a_shorter_datagram_is_refused(void **state)
{
    (void)state;
    needs_sodium();
    for (size_t m = 0; m < 2; m++) {
        begin(both_modes[m], WEIR_CIPHER_CHACHA);
        for (uint32_t size = 0; size < SIZE; size++) {
            seal();
            assert_int_equal(weir_seal_open(&rx, datagram, size, AREA, HEAD, counts),
                             size < HEAD + WEIR_TAG_BYTES ? WEIR_OPEN_SHORT : WEIR_OPEN_FORGED);
        }
        assert_int_equal(rx.failed, BODY);
        assert_int_equal(rx.replay.top, 0);
    }
}

static void a_claimed_area_longer_than_the_datagram_is_refused(void **state)
{
    (void)state;
    needs_sodium();
    begin(WEIR_PROTECT_MAC, WEIR_CIPHER_CHACHA);
    seal();
    assert_int_equal(weir_seal_open(&rx, datagram, SIZE, 500, 4 + 500 + 16, counts), WEIR_OPEN_SHORT);
}

static void the_other_direction_has_other_keys(void **state)
{
    (void)state;
    needs_sodium();
    begin(WEIR_PROTECT_MAC, WEIR_CIPHER_CHACHA);
    seal();
    assert_int_equal(weir_seal_open(&tx, datagram, SIZE, AREA, HEAD, counts), WEIR_OPEN_FORGED); /* reflected */
    rx.tx_counter = 4;
    weir_seal_packet(&rx, datagram, &(struct weir_seal_range){ AREA, HEAD, HEAD + BODY }, datagram + HEAD);
    assert_int_equal(weir_seal_open(&tx, datagram, SIZE, AREA, HEAD, counts), WEIR_OPENED);
}

static void the_window_moves_only_for_a_right_tag(void **state)
{
    (void)state;
    needs_sodium();
    begin(WEIR_PROTECT_AEAD, WEIR_CIPHER_CHACHA);
    seal_at(1000);
    datagram[SIZE - 1] ^= 1;
    expect(WEIR_OPEN_FORGED);
    assert_int_equal(rx.replay.top, 0);
    seal_at(1000);
    expect(WEIR_OPENED);
    assert_int_equal(rx.replay.top, 1000);
    seal_at(1024);
    expect(WEIR_OPENED);
    seal_at(1); /* 1023 before the top */
    expect(WEIR_OPENED);
    seal_at(1025);
    expect(WEIR_OPENED);
    seal_at(1);
    expect(WEIR_OPEN_OLD);
    seal_at(2);
    expect(WEIR_OPENED);
    seal_at(2);
    expect(WEIR_OPEN_REPEATED);
    assert_int_equal(counts[WEIR_OPENED], 5);
}

static void a_counter_of_no_packet_is_refused(void **state)
{
    (void)state;
    needs_sodium();
    begin(WEIR_PROTECT_MAC, WEIR_CIPHER_CHACHA);
    seal();
    memset(datagram + 4 + AREA + 8, 0, 8);
    expect(WEIR_OPEN_OLD);
    memset(datagram + 4 + AREA + 8, 0xff, 8);
    expect(WEIR_OPEN_EPOCH);
}

static void the_sender_changes_its_key_every_epoch(void **state)
{
    uint8_t key[WEIR_KEY_BYTES];
    (void)state;
    needs_sodium();
    begin(WEIR_PROTECT_MAC, WEIR_CIPHER_CHACHA);
    for (uint64_t counter = EPOCH - 1; counter <= EPOCH + 1; counter++) {
        tx.tx_counter = counter - 1;
        seal();
        weir_derive_packet_key(key, secret, 0, counter < EPOCH ? 0 : 1);
        assert_memory_equal(tx.tx_key, key, sizeof(key));
        expect(WEIR_OPENED);
    }
}

static void packets_of_the_last_epoch_are_taken_while_they_are_in_the_window(void **state)
{
    (void)state;
    needs_sodium();
    begin(WEIR_PROTECT_MAC, WEIR_CIPHER_CHACHA);
    for (uint64_t epoch = 1; epoch <= 5; epoch++) {
        seal_at(epoch * EPOCH - 1);
        expect(WEIR_OPENED);
        seal_at(epoch * EPOCH + 1); /* overtakes */
        expect(WEIR_OPENED);
        seal_at(epoch * EPOCH - 2);
        expect(WEIR_OPENED);
        seal_at(epoch * EPOCH);
        expect(WEIR_OPENED);
        seal_at(epoch * EPOCH - 1);
        expect(WEIR_OPEN_REPEATED);
        seal_at(epoch * EPOCH + 1 - 1023);
        expect(WEIR_OPENED);
        seal_at(epoch * EPOCH + 1 - 1024);
        expect(WEIR_OPEN_OLD);
    }
}

static void a_receiver_goes_one_epoch_ahead_and_no_more(void **state)
{
    (void)state;
    needs_sodium();
    begin(WEIR_PROTECT_MAC, WEIR_CIPHER_CHACHA);
    seal_at(2 * EPOCH); /* nothing of epoch 1 has arrived */
    expect(WEIR_OPEN_EPOCH);
    seal_at(2 * EPOCH - 1);
    expect(WEIR_OPENED);
    seal_at(2 * EPOCH);
    expect(WEIR_OPENED);
    seal_at(3 * EPOCH);
    expect(WEIR_OPENED);
    assert_int_equal(counts[WEIR_OPEN_FORGED], 0);
}

static void a_forged_packet_of_the_next_epoch_leaves_the_keys(void **state)
{
    struct weir_seal before;
    (void)state;
    needs_sodium();
    begin(WEIR_PROTECT_MAC, WEIR_CIPHER_CHACHA);
    seal_at(EPOCH - 5);
    expect(WEIR_OPENED);
    before = rx;
    seal_at(EPOCH);
    datagram[0] ^= 1;
    expect(WEIR_OPEN_FORGED);
    before.failed = 1;
    assert_memory_equal(&rx, &before, sizeof(rx));
}

static void a_million_wrong_tags_wear_an_epoch_out(void **state)
{
    (void)state;
    needs_sodium();
    assert_int_equal(WEIR_SEAL_FAILED_MAX, 1048576);
    begin(WEIR_PROTECT_MAC, WEIR_CIPHER_CHACHA);
    rx.failed = 1048574;
    for (unsigned i = 0; i < 3; i++) {
        seal();
        datagram[SIZE - 1] ^= 0x80;
        expect(WEIR_OPEN_FORGED);
        assert_int_equal(weir_seal_is_worn(&rx), i >= 1);
    }
    assert_int_equal(rx.failed, 1048576);
    seal();
    expect(WEIR_OPENED); /* until the endpoint has a new secret */
    assert_true(weir_seal_is_worn(&rx));
    seal_at(EPOCH);
    expect(WEIR_OPENED);
    assert_false(weir_seal_is_worn(&rx));
    assert_int_equal(rx.failed, 0);
}

/* Random changes of right datagrams, repeats and reordering, with both ciphers and modes: none is taken twice, none
 * that was changed is taken. */
static void no_forged_or_repeated_packet_is_taken(void **state)
{
    static uint8_t sent[64][SIZE];
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    (void)state;
    needs_sodium();
    for (size_t kind = 0; kind < 4; kind++) {
        uint64_t taken = 0;
        if (!weir_crypto_has(both_ciphers[kind % 2]))
            continue;
        begin(both_modes[kind / 2], both_ciphers[kind % 2]);
        for (size_t i = 0; i < 64; i++) {
            seal();
            memcpy(sent[i], datagram, SIZE);
        }
        for (size_t i = 0; i < 4000; i++) {
            size_t at;
            memcpy(datagram, sent[next_random(&x) % 64], SIZE);
            for (at = 4; at >= 4 && at < 4 + AREA;)
                at = next_random(&x) % SIZE;
            datagram[at] ^= (uint8_t)(1 + next_random(&x) % 255);
            assert_int_not_equal(try_open(), WEIR_OPENED);
        }
        assert_int_equal(rx.replay.top, 0);
        for (size_t i = 0; i < 1000; i++) {
            memcpy(datagram, sent[next_random(&x) % 64], SIZE);
            taken += try_open() == WEIR_OPENED;
        }
        assert_int_equal(taken, 64);
    }
}

static void wiping_leaves_nothing(void **state)
{
    static const struct weir_seal wiped;
    (void)state;
    needs_sodium();
    begin(WEIR_PROTECT_MAC, WEIR_CIPHER_CHACHA);
    weir_seal_wipe(&rx);
    assert_memory_equal(&rx, &wiped, sizeof(rx));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sealed_datagrams_are_these_bytes),
        cmocka_unit_test(a_payload_may_be_in_place_and_may_be_empty),
        cmocka_unit_test(an_ack_may_be_36_bytes),
        cmocka_unit_test(every_bit_is_authenticated_but_those_of_the_area),
        cmocka_unit_test(a_shorter_datagram_is_refused),
        cmocka_unit_test(a_claimed_area_longer_than_the_datagram_is_refused),
        cmocka_unit_test(the_other_direction_has_other_keys),
        cmocka_unit_test(the_window_moves_only_for_a_right_tag),
        cmocka_unit_test(a_counter_of_no_packet_is_refused),
        cmocka_unit_test(the_sender_changes_its_key_every_epoch),
        cmocka_unit_test(packets_of_the_last_epoch_are_taken_while_they_are_in_the_window),
        cmocka_unit_test(a_receiver_goes_one_epoch_ahead_and_no_more),
        cmocka_unit_test(a_forged_packet_of_the_next_epoch_leaves_the_keys),
        cmocka_unit_test(a_million_wrong_tags_wear_an_epoch_out),
        cmocka_unit_test(no_forged_or_repeated_packet_is_taken),
        cmocka_unit_test(wiping_leaves_nothing),
    };
    return cmocka_run_group_tests_name("seal/packet", tests, NULL, NULL);
}
