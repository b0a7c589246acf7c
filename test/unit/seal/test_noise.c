/* test/unit/seal/test_noise.c - the published vectors of the handshake, and what a handshake must not accept. */
#include "test/unit/seal/noise_vectors.h"
#include "test/unit/seal/seal_test.h"
#include "seal/noise.h"

static struct weir_noise a, b; /* initiator, responder */

static void begin_with(enum weir_cipher cipher, const char *a_psk, const char *b_psk, struct weir_bytes b_prologue)
{
    uint8_t key[3][32], prologue[16];
    size_t size = from_hex(prologue, noise_prologue);
    (void)from_hex(key[0], a_psk);
    (void)from_hex(key[1], b_psk);
    (void)from_hex(key[2], noise_initiator);
    weir_noise_init(&a, cipher, true, key[0], key[2], (struct weir_bytes){ prologue, size });
    (void)from_hex(key[2], noise_responder);
    weir_noise_init(&b, cipher, false, key[1], key[2],
                    b_prologue.at != NULL ? b_prologue : (struct weir_bytes){ prologue, size });
}

static void begin(enum weir_cipher cipher)
{
    begin_with(cipher, noise_psk, noise_psk, (struct weir_bytes){ NULL, 0 });
}

/* One message of the handshake of a vector, from one end to the other. */
static void exchange(const struct noise_vector *v, size_t i, struct weir_noise *from, struct weir_noise *to)
{
    uint8_t payload[64], message[128], got[64];
    size_t size = from_hex(payload, v->message[i].payload);
    assert_true(weir_noise_write(from, payload, size, message));
    assert_hex(message, size + WEIR_NOISE_OVERHEAD, v->message[i].ciphertext);
    assert_true(weir_noise_read(to, message, size + WEIR_NOISE_OVERHEAD, got));
    assert_memory_equal(got, payload, size);
}

static void transport(const struct noise_vector *v, size_t i, const uint8_t *key)
{
    uint8_t payload[64], nonce[WEIR_NONCE_BYTES], sealed[96];
    size_t size = from_hex(payload, v->message[i].payload);
    weir_noise_nonce(v->cipher, i / 2 - 1, nonce);
    weir_crypto_seal(v->cipher, key, nonce, (struct weir_bytes){ NULL, 0 }, payload, size, sealed);
    assert_hex(sealed, size + WEIR_TAG_BYTES, v->message[i].ciphertext);
}

static void handshake_matches_the_published_vectors(void **state)
{
    size_t seen = 0;
    (void)state;
    needs_sodium();
    for (size_t v = 0; v < sizeof(noise_vectors) / sizeof(*noise_vectors); v++) {
        struct weir_noise_keys of_a, of_b;
        if (!weir_crypto_has(noise_vectors[v].cipher))
            continue;
        begin(noise_vectors[v].cipher);
        exchange(&noise_vectors[v], 0, &a, &b);
        exchange(&noise_vectors[v], 1, &b, &a);
        weir_noise_finish(&a, &of_a);
        weir_noise_finish(&b, &of_b);
        assert_memory_equal(&of_a, &of_b, sizeof(of_a));
        assert_hex(of_a.hash, sizeof(of_a.hash), noise_vectors[v].handshake_hash);
        for (size_t i = 2; i < NOISE_MESSAGES; i++)
            transport(&noise_vectors[v], i, i % 2 == 0 ? of_a.initiator : of_a.responder);
        seen++;
    }
    assert_in_range(seen, 1, 2);
}

static void expect_wiped(const struct weir_noise *n)
{
    static const struct weir_noise wiped = { .state = WEIR_NOISE_FAILED };
    assert_memory_equal(n, &wiped, sizeof(wiped));
}

static void a_finished_handshake_leaves_no_secret(void **state)
{
    struct weir_noise_keys keys;
    (void)state;
    needs_sodium();
    begin(WEIR_CIPHER_CHACHA);
    exchange(&noise_vectors[1], 0, &a, &b);
    exchange(&noise_vectors[1], 1, &b, &a);
    weir_noise_finish(&a, &keys);
    expect_wiped(&a);
}

static void another_key_or_prologue_is_refused(void **state)
{
    static const char other[] = "55686973206973206d7920417573747269616e20706572737065637469766521";
    uint8_t message[WEIR_NOISE_OVERHEAD], none[1];
    (void)state;
    needs_sodium();
    begin_with(WEIR_CIPHER_CHACHA, noise_psk, other, (struct weir_bytes){ NULL, 0 });
    assert_true(weir_noise_write(&a, NULL, 0, message));
    assert_false(weir_noise_read(&b, message, sizeof(message), none));
    expect_wiped(&b);
    begin_with(WEIR_CIPHER_CHACHA, noise_psk, noise_psk, (struct weir_bytes){ "John Gall", 9 });
    assert_true(weir_noise_write(&a, NULL, 0, message));
    assert_false(weir_noise_read(&b, message, sizeof(message), none));
    expect_wiped(&b);
}

static void the_other_cipher_is_refused(void **state)
{
    uint8_t message[WEIR_NOISE_OVERHEAD], none[1], psk[32], ephemeral[32];
    (void)state;
    needs_sodium();
    if (!weir_crypto_has(WEIR_CIPHER_AES_GCM))
        skip();
    begin(WEIR_CIPHER_CHACHA);
    (void)from_hex(psk, noise_psk);
    (void)from_hex(ephemeral, noise_responder);
    weir_noise_init(&b, WEIR_CIPHER_AES_GCM, false, psk, ephemeral, (struct weir_bytes){ NULL, 0 });
    assert_true(weir_noise_write(&a, NULL, 0, message));
    assert_false(weir_noise_read(&b, message, sizeof(message), none));
}

/* Of both messages: each bit, and each shorter length. */
static void a_changed_message_is_refused(void **state)
{
    uint8_t message[2][WEIR_NOISE_OVERHEAD + 2], got[WEIR_NOISE_OVERHEAD];
    struct weir_noise before;
    (void)state;
    needs_sodium();
    begin(WEIR_CIPHER_CHACHA);
    assert_true(weir_noise_write(&a, "hi", 2, message[0]));
    for (size_t second = 0; second < 2; second++) {
        struct weir_noise *reader = second ? &a : &b;
        before = *reader;
        for (size_t bit = 0; bit < 8 * sizeof(message[0]); bit++) {
            message[second][bit / 8] ^= (uint8_t)(1u << bit % 8);
            *reader = before;
            assert_false(weir_noise_read(reader, message[second], sizeof(message[0]), got));
            message[second][bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        for (size_t size = 0; size < sizeof(message[0]); size++) {
            *reader = before;
            assert_false(weir_noise_read(reader, message[second], size, got));
            expect_wiped(reader);
        }
        *reader = before;
        assert_true(weir_noise_read(reader, message[second], sizeof(message[0]), got));
        if (second == 0)
            assert_true(weir_noise_write(&b, "ho", 2, message[1]));
    }
}

static void a_public_key_without_a_secret_fails_the_handshake(void **state)
{
    uint8_t message[WEIR_NOISE_OVERHEAD];
    (void)state;
    needs_sodium();
    begin(WEIR_CIPHER_CHACHA);
    assert_true(weir_noise_write(&a, NULL, 0, message));
    assert_true(weir_noise_read(&b, message, sizeof(message), NULL));
    memset(b.remote, 0, sizeof(b.remote)); /* only a holder of the key could send it */
    assert_false(weir_noise_write(&b, NULL, 0, message));
    expect_wiped(&b);
}

static void nonces_are_in_the_byte_order_of_the_cipher(void **state)
{
    uint8_t nonce[WEIR_NONCE_BYTES];
    (void)state;
    weir_noise_nonce(WEIR_CIPHER_AES_GCM, UINT64_C(0x0102030405060708), nonce);
    assert_hex(nonce, sizeof(nonce), "000000000102030405060708");
    weir_noise_nonce(WEIR_CIPHER_CHACHA, UINT64_C(0x0102030405060708), nonce);
    assert_hex(nonce, sizeof(nonce), "000000000807060504030201");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handshake_matches_the_published_vectors),
        cmocka_unit_test(a_finished_handshake_leaves_no_secret),
        cmocka_unit_test(another_key_or_prologue_is_refused),
        cmocka_unit_test(the_other_cipher_is_refused),
        cmocka_unit_test(a_changed_message_is_refused),
        cmocka_unit_test(a_public_key_without_a_secret_fails_the_handshake),
        cmocka_unit_test(nonces_are_in_the_byte_order_of_the_cipher),
    };
    return cmocka_run_group_tests_name("seal/noise", tests, NULL, NULL);
}
