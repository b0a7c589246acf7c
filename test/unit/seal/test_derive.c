/* test/unit/seal/test_derive.c - keys derived from keys, as another implementation of BLAKE2b (Python's hashlib)
 * computes them. */
#include "test/unit/seal/seal_test.h"
#include "seal/derive.h"

static void fill(uint8_t *out, size_t size, uint8_t first)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(first + i);
}

static void connection_secret_is_of_both_keys_and_the_transcript(void **state)
{
    struct weir_noise_keys keys;
    uint8_t secret[WEIR_KEY_BYTES];
    (void)state;
    needs_sodium();
    fill(keys.initiator, sizeof(keys.initiator), 0);
    fill(keys.responder, sizeof(keys.responder), 32);
    fill(keys.hash, sizeof(keys.hash), 64);
    weir_derive_connection(secret, &keys);
    assert_hex(secret, sizeof(secret), "a551925b6b478858dc9b0255c16212938e096eb6c41f044f854e8594fbe68d5a");
}

static void a_renewed_secret_is_of_the_one_before_too(void **state)
{
    struct weir_noise_keys keys;
    uint8_t before[WEIR_KEY_BYTES], secret[WEIR_KEY_BYTES];
    (void)state;
    needs_sodium();
    fill(keys.initiator, sizeof(keys.initiator), 0);
    fill(keys.responder, sizeof(keys.responder), 32);
    fill(keys.hash, sizeof(keys.hash), 64);
    fill(before, sizeof(before), 0xa0);
    weir_derive_renewed(secret, &keys, before);
    assert_hex(secret, sizeof(secret), "f00189a22f1a28987caba7a1c2a646a045939ad8a528e464c8d8ab45f02081d2");
}

static void packet_keys_are_of_direction_and_epoch(void **state)
{
    static const struct {
        uint64_t epoch;
        uint8_t direction;
        const char *key;
    } table[] = {
        { 0, 0, "81a94cb07349a65c973eb3ffdd212730a7ef4a4070b22d5206fc89a976c9cc04" },
        { 1, 0, "8cd79c604d8220e7afb078e08161436c788bbd9dde822a5867ba31ef59a1081a" },
        { UINT64_C(0x102030405), 0, "d37a05c3f17854fc9df7380ff0c9c41f6b84ac9b8ab84ba50c753c444c0afa0b" },
        { 0, 1, "96afa98e059b96cef43439f094baebd0ad50b6d523b04c70b1538bc62fba0e85" },
        { 1, 1, "c0916ecfb4863456a4cbd3f6743a2e8ca46da8537aaafb70356bdf0d7024be81" },
        { UINT64_C(0x102030405), 1, "4539ea70690b3352c0aa1a1079d61f792e4d9f009a95adf17239229039c74fdf" },
    };
    uint8_t secret[WEIR_KEY_BYTES], key[WEIR_KEY_BYTES];
    (void)state;
    needs_sodium();
    fill(secret, sizeof(secret), 0xa0);
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        weir_derive_packet_key(key, secret, table[i].direction, table[i].epoch);
        assert_hex(key, sizeof(key), table[i].key);
    }
}

static void hello_has_a_key_and_a_mac_of_its_own(void **state)
{
    uint8_t psk[WEIR_KEY_BYTES], key[WEIR_KEY_BYTES], mac[WEIR_TAG_BYTES];
    (void)state;
    needs_sodium();
    fill(psk, sizeof(psk), 0xa0);
    weir_derive_hello_key(key, psk);
    assert_hex(key, sizeof(key), "be6f3bc79c68a29490c171d17629c85a6c82264a8caa807e2520f4b8ab033456");
    weir_hello_mac(mac, key, (struct weir_bytes){ "hello bytes", 11 });
    assert_hex(mac, sizeof(mac), "57768f3d39cd987c57bb92a9143731c0");
}

static void fingerprint_names_a_key(void **state)
{
    uint8_t psk[WEIR_KEY_BYTES], fingerprint[WEIR_FINGERPRINT_BYTES];
    (void)state;
    needs_sodium();
    fill(psk, sizeof(psk), 0xa0);
    weir_derive_fingerprint(fingerprint, psk);
    assert_hex(fingerprint, sizeof(fingerprint), "33ca8affcca99692");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connection_secret_is_of_both_keys_and_the_transcript),
        cmocka_unit_test(a_renewed_secret_is_of_the_one_before_too),
        cmocka_unit_test(packet_keys_are_of_direction_and_epoch),
        cmocka_unit_test(hello_has_a_key_and_a_mac_of_its_own),
        cmocka_unit_test(fingerprint_names_a_key),
    };
    return cmocka_run_group_tests_name("seal/derive", tests, NULL, NULL);
}
