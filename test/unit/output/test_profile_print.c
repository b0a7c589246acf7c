/* test/unit/output/test_profile_print.c - the table of a run's threads. */
#include "output/profile_print.h"
#include "test/unit/weir_test.h"

static const char *printed(const struct weir_profile *profile, uint64_t wall_ns)
{
    static char text[1024];
    FILE *file = fmemopen(text, sizeof(text), "w");
    assert_non_null(file);
    weir_profile_print(file, profile, wall_ns);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void shares_are_of_the_packets_and_waits_of_the_busiest(void **state)
{
    static const struct weir_profile profile = {
        .threads = 2,
        .windows = 4,
        .busiest_hops = 1600,
        .thread = { { .hosts = 3, .switches = 1, .hops = 1500, .waited_hops = 100, .empty_windows = 1 },
                    { .hosts = 2, .switches = 0, .hops = 500, .waited_hops = 1100, .empty_windows = 2 } },
    };
    (void)state;
    assert_string_equal(printed(&profile, 8000),
                        "\nprofile: 4 windows, 2,000 packet-hops, 500.0 in a window; 2.000 us a window\n"
                        "thread    hosts  switches     packet-hops   share           waits   empty windows\n"
                        "     0        3         1           1,500   75.0%            6.2%           25.0%\n"
                        "     1        2         0             500   25.0%           68.8%           50.0%\n"
                        "balance: 1.25 of 2, by the packets of the busiest thread of each window\n");
}

static void a_run_without_a_packet_has_zeros(void **state)
{
    static const struct weir_profile profile = { .threads = 1, .thread = { { .hosts = 2, .switches = 1 } } };
    (void)state;
    assert_string_equal(printed(&profile, 8000),
                        "\nprofile: 0 windows, 0 packet-hops, 0.0 in a window\n"
                        "thread    hosts  switches     packet-hops   share           waits   empty windows\n"
                        "     0        2         1               0    0.0%            0.0%            0.0%\n"
                        "balance: 1.00 of 1, by the packets of the busiest thread of each window\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_of_the_packets_and_waits_of_the_busiest),
        cmocka_unit_test(a_run_without_a_packet_has_zeros),
    };
    return cmocka_run_group_tests_name("output/profile_print", tests, NULL, NULL);
}
