/* test/unit/topology/test_lists.c - lists of ports: equal ones are stored once, whatever is behind them. */
#include "test/unit/weir_test.h"
#include "topology/lists.h"
#include "topology/topology.h"
#include <stdlib.h>

static struct weir_routes routes;
static struct weir_lists lists;

static int setup(void **state)
{
    (void)state;
    routes = (struct weir_routes){ 0 };
    return weir_lists_init(&lists, &routes, 16) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    weir_lists_free(&lists);
    free(routes.port);
    return 0;
}

/* The first `count` of these ports. */
static uint32_t intern(uint32_t count, uint16_t first, uint16_t second, uint16_t third)
{
    uint32_t entry;
    struct weir_err err;
    lists.list[0] = first, lists.list[1] = second, lists.list[2] = third;
    assert_int_equal(weir_lists_intern(&lists, count, &entry, &err), 0);
    return entry;
}

static void equal_lists_are_stored_once(void **state)
{
    (void)state;
    assert_int_equal(intern(0, 1, 2, 3), 0);
    /* the first port of all is WEIR_ROUTE_PORT_NONE */
    assert_int_equal(intern(2, 1, 2, 3), (2u << WEIR_ROUTE_FIRST_BITS) + 1);
    for (uint16_t behind = 0; behind < 100; behind++) /* it is no part of the list, and so not of its hash */
        assert_int_equal(intern(2, 1, 2, behind), (2u << WEIR_ROUTE_FIRST_BITS) + 1);
    assert_int_equal(intern(3, 1, 2, 3), (3u << WEIR_ROUTE_FIRST_BITS) + 3);
    assert_int_equal(intern(2, 2, 1, 3), (2u << WEIR_ROUTE_FIRST_BITS) + 6);
    assert_int_equal(intern(1, 1, 2, 3), (1u << WEIR_ROUTE_FIRST_BITS) + 8);
    assert_int_equal(intern(3, 1, 2, 3), (3u << WEIR_ROUTE_FIRST_BITS) + 3);
    assert_int_equal(routes.port_len, 9);
}

/* COUNT_MAX of lists.c: 12 bits have the count. */
static void a_list_of_more_than_4095_ports_is_refused(void **state)
{
    struct weir_err err;
    uint32_t entry;
    (void)state;
    for (uint32_t i = 0; i <= 4096; i++)
        lists.list[i] = (uint16_t)i;
    assert_int_equal(weir_lists_intern(&lists, 4095, &entry, &err), 0);
    assert_int_equal(entry, (4095u << WEIR_ROUTE_FIRST_BITS) + 1);
    assert_int_equal(weir_lists_intern(&lists, 4096, &entry, &err), WEIR_E_RANGE);
    assert_string_equal(err.text, "4096 equal paths at one switch: at most 4095");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_lists_are_stored_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_list_of_more_than_4095_ports_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests_name("topology/lists", tests, NULL, NULL);
}
