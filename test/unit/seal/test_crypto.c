/* test/unit/seal/test_crypto.c - the primitives are those that the standards describe, and refuse what is not theirs. */
#include "test/unit/seal/seal_test.h"

/* RFC 8439, section 2.8.2; and case 16 of McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B. */
static const struct {
    enum weir_cipher cipher;
    const char *key, *nonce, *associated, *plain, *sealed;
} published[] = {
    { WEIR_CIPHER_CHACHA, "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
      "070000004041424344454647", "50515253c0c1c2c3c4c5c6c7",
      "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a204966204920636f756c64206f6666"
      "657220796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73637265656e20776f756c642062652069"
      "742e",
      "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b29"
      "05d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b"
      "61161ae10b594f09e26a7e902ecbd0600691" },
    { WEIR_CIPHER_AES_GCM, "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657"
      "ba637b39",
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0a"
      "bcc9f66276fc6ece0f4e1768cddf8853bb2d551b" },
};

static void ciphers_match_published_values(void **state)
{
    (void)state;
    needs_sodium();
    for (size_t i = 0; i < sizeof(published) / sizeof(*published); i++) {
        uint8_t key[32], nonce[12], associated[64], plain[256], out[256], back[256];
        struct weir_bytes with = { associated, 0 };
        size_t size;
        if (!weir_crypto_has(published[i].cipher))
            continue;
        (void)from_hex(key, published[i].key);
        (void)from_hex(nonce, published[i].nonce);
        with.size = from_hex(associated, published[i].associated);
        size = from_hex(plain, published[i].plain);
        weir_crypto_seal(published[i].cipher, key, nonce, with, plain, size, out);
        assert_hex(out, size + WEIR_TAG_BYTES, published[i].sealed);
        assert_true(weir_crypto_open(published[i].cipher, key, nonce, with, out, size + WEIR_TAG_BYTES, back));
        assert_memory_equal(back, plain, size);
    }
}

static void a_wrong_tag_or_none_is_refused(void **state)
{
    static const uint8_t key[32] = { 1 }, nonce[12] = { 2 };
    (void)state;
    needs_sodium();
    for (size_t i = 0; i < 2; i++) {
        uint8_t sealed[WEIR_TAG_BYTES + 3], out[3];
        const struct weir_bytes with = { "head", 4 };
        if (!weir_crypto_has(both_ciphers[i]))
            continue;
        for (size_t size = 0; size <= 3; size++) {
            weir_crypto_seal(both_ciphers[i], key, nonce, with, "abc", size, sealed);
            for (size_t less = 0; less < WEIR_TAG_BYTES; less++)
                assert_false(weir_crypto_open(both_ciphers[i], key, nonce, with, sealed, less, out));
            for (size_t bit = 0; bit < 8 * (size + WEIR_TAG_BYTES); bit++) {
                sealed[bit / 8] ^= (uint8_t)(1u << bit % 8);
                assert_false(weir_crypto_open(both_ciphers[i], key, nonce, with, sealed, size + WEIR_TAG_BYTES, out));
                sealed[bit / 8] ^= (uint8_t)(1u << bit % 8);
            }
            assert_true(weir_crypto_open(both_ciphers[i], key, nonce, with, sealed, size + WEIR_TAG_BYTES, out));
        }
    }
}

/* RFC 7693, appendix A. */
static void hash_is_blake2b_of_all_parts(void **state)
{
    const struct weir_bytes none = { NULL, 0 }, parts[3] = { { "a", 1 }, { "", 0 }, { "bc", 2 } };
    uint8_t out[WEIR_HASH_BYTES], keyed[WEIR_HASH_BYTES];
    (void)state;
    needs_sodium();
    weir_crypto_hash(out, sizeof(out), none, parts, 3);
    assert_hex(out, sizeof(out),
               "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
               "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
    weir_crypto_hash(keyed, sizeof(keyed), (struct weir_bytes){ "0123456789abcdef", 16 }, parts, 3);
    assert_memory_not_equal(out, keyed, sizeof(out));
}

/* RFC 7748, section 6.1. */
static void both_ends_agree_as_in_the_standard(void **state)
{
    static const char agreed[] = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742";
    uint8_t a[32], b[32], a_public[32], b_public[32], shared[32];
    (void)state;
    needs_sodium();
    (void)from_hex(a, "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
    (void)from_hex(b, "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
    weir_crypto_public(a_public, a);
    weir_crypto_public(b_public, b);
    assert_hex(a_public, 32, "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
    assert_hex(b_public, 32, "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
    assert_true(weir_crypto_agree(shared, a, b_public));
    assert_hex(shared, 32, agreed);
    assert_true(weir_crypto_agree(shared, b, a_public));
    assert_hex(shared, 32, agreed);
}

/* Two of the points of small order: 0 and 1. */
static void public_keys_that_give_away_the_secret_are_refused(void **state)
{
    static const uint8_t secret[32] = { 1, 2, 3 }, zero[32] = { 0 }, one[32] = { 1 };
    uint8_t shared[32];
    (void)state;
    needs_sodium();
    assert_false(weir_crypto_agree(shared, secret, zero));
    assert_false(weir_crypto_agree(shared, secret, one));
}

static void base64_is_a_key_and_nothing_else(void **state)
{
    static const char zeros[] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    static const char *const bad[] = { "A",     "AA",   "AAA",  "AA=",  "A===",  "====",
                                       "AAA=A", "AAB=", "AA-=", "A A=", "AA==\n" };
    uint8_t key[WEIR_KEY_BYTES], back[WEIR_KEY_BYTES];
    char text[WEIR_BASE64_BYTES + 1];
    (void)state;
    needs_sodium();
    memset(key, 0, sizeof(key));
    weir_crypto_to_base64(text, key);
    assert_string_equal(text, zeros);
    weir_crypto_random(key, sizeof(key));
    weir_crypto_to_base64(text, key);
    assert_int_equal(weir_crypto_from_base64(back, sizeof(back), text, strlen(text)), WEIR_KEY_BYTES);
    assert_memory_equal(back, key, sizeof(key));
    assert_int_equal(weir_crypto_from_base64(back, sizeof(back) - 1, text, strlen(text)), -1);
    assert_int_equal(weir_crypto_from_base64(back, sizeof(back), "", 0), 0);
    assert_int_equal(weir_crypto_from_base64(back, sizeof(back), "QQ==", 4), 1);
    assert_int_equal(back[0], 'A');
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_int_equal(weir_crypto_from_base64(back, sizeof(back), bad[i], strlen(bad[i])), -1);
}

static void secrets_are_wiped_and_compared_whole(void **state)
{
    uint8_t a[3] = { 1, 2, 3 };
    const uint8_t b[3] = { 1, 2, 4 }, zero[3] = { 0 };
    (void)state;
    needs_sodium();
    assert_false(weir_crypto_equal(a, b, 3));
    assert_true(weir_crypto_equal(a, b, 2));
    weir_crypto_wipe(a, sizeof(a));
    assert_memory_equal(a, zero, sizeof(a));
}

static void a_build_without_libsodium_says_so(void **state)
{
    (void)state;
    assert_int_equal(weir_crypto_ready(), weir_crypto_has(WEIR_CIPHER_CHACHA));
    assert_true(weir_crypto_ready() || !weir_crypto_has(WEIR_CIPHER_AES_GCM));
    assert_false(weir_crypto_has((enum weir_cipher)0));
    assert_false(weir_crypto_has((enum weir_cipher)3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ciphers_match_published_values),
        cmocka_unit_test(a_wrong_tag_or_none_is_refused),
        cmocka_unit_test(hash_is_blake2b_of_all_parts),
        cmocka_unit_test(both_ends_agree_as_in_the_standard),
        cmocka_unit_test(public_keys_that_give_away_the_secret_are_refused),
        cmocka_unit_test(base64_is_a_key_and_nothing_else),
        cmocka_unit_test(secrets_are_wiped_and_compared_whole),
        cmocka_unit_test(a_build_without_libsodium_says_so),
    };
    return cmocka_run_group_tests_name("seal/crypto", tests, NULL, NULL);
}
