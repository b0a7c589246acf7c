/* test/unit/text/test_json_numbers.c - the numbers of a JSON object, by path. */
#include "test/unit/weir_test.h"
#include "text/json_numbers.h"
#include <stdio.h>
#include <string.h>

static char seen[512];

static int note(void *ctx, const char *path, const double *value)
{
    size_t at = strlen(seen);
    (void)ctx;
    if (value == NULL)
        (void)snprintf(seen + at, sizeof(seen) - at, "%s=null ", path);
    else
        (void)snprintf(seen + at, sizeof(seen) - at, "%s=%g ", path, *value);
    return strcmp(path, "stop") == 0 ? 7 : 0;
}

static int walk(const char *text)
{
    seen[0] = '\0';
    return weir_json_numbers(text, note, NULL);
}

static void numbers_have_paths_and_texts_are_passed_over(void **state)
{
    (void)state;
    assert_int_equal(walk("{\n  \"a\": 1.5,\n  \"name\": \"x \\\"y\\\" {}: 3\",\n  \"yes\": true,\n  \"no\": false,\n"
                          "  \"why\": null\n}\n"),
                     0);
    assert_string_equal(seen, "a=1.5 yes=1 no=0 why=null ");
}

static void objects_in_objects_join_their_keys(void **state)
{
    (void)state;
    assert_int_equal(walk("{\"s\": {\"all\": {\"p50\": 1, \"p99\": 2}, \"A\": {\"p50\": null}}, \"z\": -3e2}"), 0);
    assert_string_equal(seen, "s.all.p50=1 s.all.p99=2 s.A.p50=null z=-300 ");
}

/* Causes have names as "shared-buffer.alpha". */
static void a_key_may_have_dots_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(walk("{\"d\": {\"a.b\": {\"x\": 1, \"c\": {\"0\": 2}}, \"a.c\": {\"x\": 3}}, \"z\": 4}"), 0);
    assert_string_equal(seen, "d.a.b.x=1 d.a.b.c.0=2 d.a.c.x=3 z=4 ");
}

static void lists_are_passed_over(void **state)
{
    (void)state;
    assert_int_equal(walk("{\"l\": [{\"a\": 1, \"b\": [2, \"]\"]}, 3], \"e\": [], \"z\": 4}"), 0);
    assert_string_equal(seen, "z=4 ");
}

static void an_empty_object_has_none(void **state)
{
    (void)state;
    assert_int_equal(walk("{}\n"), 0);
    assert_string_equal(seen, "");
    assert_int_equal(walk("{\"a\": {}, \"b\": 1}"), 0);
    assert_string_equal(seen, "b=1 ");
}

static void the_listener_may_end_it(void **state)
{
    (void)state;
    assert_int_equal(walk("{\"a\": 1, \"stop\": 2, \"b\": 3}"), 7);
    assert_string_equal(seen, "a=1 stop=2 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_paths_and_texts_are_passed_over),
        cmocka_unit_test(objects_in_objects_join_their_keys),
        cmocka_unit_test(a_key_may_have_dots_of_its_own),
        cmocka_unit_test(lists_are_passed_over),
        cmocka_unit_test(an_empty_object_has_none),
        cmocka_unit_test(the_listener_may_end_it),
    };
    return cmocka_run_group_tests_name("text/json_numbers", tests, NULL, NULL);
}
