/* test/unit/endpoint/test_siphash.c - the values of the paper's appendix and of its authors' list of vectors. */
#include "test/unit/weir_test.h"
#include "test/unit/endpoint/internals.h"

static void hashes_match_the_published_values(void **state)
{
    const uint64_t key[2] = { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) };
    unsigned char bytes[15];
    (void)state;
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)i;
    assert_true(ep_siphash(key, bytes, 15) == UINT64_C(0xa129ca6149be45e5)); /* appendix A */
    assert_true(ep_siphash(key, bytes, 0) == UINT64_C(0x726fdb47dd0e0e31));
    assert_true(ep_siphash(key, bytes, 8) == UINT64_C(0x93f5f5799a932462));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(hashes_match_the_published_values) };
    return cmocka_run_group_tests_name("endpoint/siphash", tests, NULL, NULL);
}
