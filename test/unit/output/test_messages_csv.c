/* test/unit/output/test_messages_csv.c - the messages file, letter for letter. */
#include "test/unit/weir_test.h"
#include "output/messages_csv.h"
#include <stdlib.h>

#define HEADER "id,src,dst,bytes,start_ps,end_ps,ideal_ps,payload_ideal_ps,slowdown,retransmissions,marks,item\n"

static const struct weir_account_row rows[] = {
    { .d = { .id = 7,
             .src = 1,
             .dst = 2,
             .bytes = 1460,
             .start_ps = 100,
             .end_ps = 400,
             .ideal_ps = 200,
             .payload_ps = 150,
             .retransmissions = 3,
             .marks = 4,
             .item = 5 } },
    { .d = { .id = UINT64_C(1) << 40, .end_ps = 2, .ideal_ps = 3 } },
    { .d = { .id = 9, .end_ps = 2 } }, /* no way led there: no ideal */
};

static void every_row_has_its_columns_and_an_exact_slowdown(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    (void)state;
    assert_non_null(file);
    assert_int_equal(weir_messages_csv_header(file), 0);
    assert_int_equal(weir_messages_csv_rows(file, rows, 3), 0);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, HEADER "7,1,2,1460,100,400,200,150,1.500000,3,4,5\n"
                                     "1099511627776,0,0,0,0,2,3,0,0.666666,0,0,0\n"
                                     "9,0,0,0,0,2,0,0,0.000000,0,0,0\n");
    free(text);
}

static void an_unwritable_file_is_an_error(void **state)
{
    FILE *full = fopen("/dev/full", "w");
    (void)state;
    if (full == NULL)
        skip();
    (void)setvbuf(full, NULL, _IONBF, 0);
    assert_int_equal(weir_messages_csv_header(full), WEIR_E_FILE);
    assert_int_equal(weir_messages_csv_rows(full, rows, 3), WEIR_E_FILE);
    (void)fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_its_columns_and_an_exact_slowdown),
        cmocka_unit_test(an_unwritable_file_is_an_error),
    };
    return cmocka_run_group_tests_name("output/messages_csv", tests, NULL, NULL);
}
