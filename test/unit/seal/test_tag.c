/* test/unit/seal/test_tag.c - the tag of an endpoint at each edge of an epoch. The hash is one that a reader can
 * compute: key[0] + 3 * the epoch. */
#include "test/unit/weir_test.h"
#include "seal/tag.h"

static uint64_t epoch_hash(const uint64_t key[2], const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t epoch = 0;
    assert_int_equal(size, 8);
    for (size_t i = 0; i < size; i++)
        epoch = epoch << 8 | bytes[i];
    return key[0] + 3 * epoch;
}

static const uint64_t key[2] = { 0xabc00000100, 0 };
static struct weir_tag t;

static void a_tag_is_valid_for_two_epochs(void **state)
{
    static const uint64_t minute = WEIR_TAG_EPOCH_PS;
    (void)state;
    weir_tag_init(&t, epoch_hash, key, 10 * minute);
    assert_int_equal(t.present, 0x100 + 30); /* 16 bits of the hash */
    assert_int_equal(t.last, 0x100 + 27);
    assert_int_equal(weir_tag_next_ps(&t), 11 * minute);
    assert_false(weir_tag_advance(&t, 10 * minute));
    assert_false(weir_tag_advance(&t, 11 * minute - 1));
    assert_true(weir_tag_is_valid(&t, 0x100 + 30));
    assert_true(weir_tag_advance(&t, 11 * minute));
    assert_false(weir_tag_advance(&t, 11 * minute + 1));
    assert_int_equal(t.present, 0x100 + 33);
    assert_true(weir_tag_is_valid(&t, 0x100 + 33));
    assert_true(weir_tag_is_valid(&t, 0x100 + 30));
    assert_false(weir_tag_is_valid(&t, 0x100 + 27));
    assert_true(weir_tag_advance(&t, 12 * minute + 5));
    assert_false(weir_tag_is_valid(&t, 0x100 + 30)); /* two epochs later: a peer that has left */
    assert_true(weir_tag_is_valid(&t, 0x100 + 33));
    assert_int_equal(weir_tag_next_ps(&t), 13 * minute);
}

static void a_long_pause_leaves_no_old_tag(void **state)
{
    (void)state;
    weir_tag_init(&t, epoch_hash, key, 0);
    assert_int_equal(t.present, 0x100);
    assert_int_equal(t.last, (0x100 - 3) & 0xffff);
    assert_true(weir_tag_advance(&t, 100 * WEIR_TAG_EPOCH_PS));
    assert_false(weir_tag_is_valid(&t, 0x100));
    assert_int_equal(t.last, 0x100 + 297);
}

static void every_tag_of_a_shard_names_it(void **state)
{
    (void)state;
    t = (struct weir_tag){ .shard = 0x5400, .shard_mask = 0xfc00 };
    weir_tag_init(&t, epoch_hash, key, 1000 * WEIR_TAG_EPOCH_PS);
    assert_int_equal(t.present, 0x5400 | ((0x100 + 3000) & 0x3ff));
    assert_int_equal(t.last, 0x5400 | ((0x100 + 2997) & 0x3ff));
    assert_true(weir_tag_advance(&t, 1001 * WEIR_TAG_EPOCH_PS));
    assert_int_equal(t.present, 0x5400 | ((0x100 + 3003) & 0x3ff));
    assert_int_equal(weir_tag_name_shard(&t, UINT64_C(0x123456789abcffff)), UINT64_C(0x123456789abc57ff));
    t = (struct weir_tag){ .shard_mask = 0 };
    assert_int_equal(weir_tag_name_shard(&t, UINT64_MAX), UINT64_MAX); /* no shard: all bits are the hash's */
}

static void only_the_low_16_bits_are_the_tag(void **state)
{
    (void)state;
    weir_tag_init(&t, epoch_hash, key, 10 * WEIR_TAG_EPOCH_PS);
    assert_true(weir_tag_is_valid(&t, UINT64_C(0xffffffffffff0000) | (0x100 + 30)));
    assert_false(weir_tag_is_valid(&t, UINT64_C(0x10000) | (0x100 + 31)));
    assert_int_equal(weir_tag_renew(&t, UINT64_C(0x123456789abcffff)), UINT64_C(0x123456789abc0000) | (0x100 + 30));
}

static void the_last_epoch_has_no_end(void **state)
{
    (void)state;
    weir_tag_init(&t, epoch_hash, key, UINT64_MAX);
    assert_int_equal(weir_tag_next_ps(&t), UINT64_MAX);
    assert_false(weir_tag_advance(&t, UINT64_MAX));
    weir_tag_init(&t, epoch_hash, key, (UINT64_MAX / WEIR_TAG_EPOCH_PS - 1) * WEIR_TAG_EPOCH_PS);
    assert_int_equal(weir_tag_next_ps(&t), UINT64_MAX / WEIR_TAG_EPOCH_PS * WEIR_TAG_EPOCH_PS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tag_is_valid_for_two_epochs), cmocka_unit_test(a_long_pause_leaves_no_old_tag),
        cmocka_unit_test(every_tag_of_a_shard_names_it), cmocka_unit_test(only_the_low_16_bits_are_the_tag),
        cmocka_unit_test(the_last_epoch_has_no_end),
    };
    return cmocka_run_group_tests_name("seal/tag", tests, NULL, NULL);
}
