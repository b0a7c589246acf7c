/* test/unit/output/test_messages_csv.c - the messages file, letter for letter. */
#include "test/unit/weir_test.h"
#include "output/messages_csv.h"
#include <stdlib.h>

#define HEADER "id,src,dst,bytes,start_ps,end_ps,ideal_ps,payload_ideal_ps,slowdown,retransmissions,marks,item"

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

static struct weir_workload workload;
static struct weir_messages_csv csv;
static char *text;
static size_t size;

static int setup(void **state)
{
    (void)state;
    workload = (struct weir_workload){ .item_count = 6 };
    text = NULL;
    csv = (struct weir_messages_csv){ .file = open_memstream(&text, &size), .workload = &workload };
    return csv.file == NULL;
}

static void finish(void)
{
    assert_int_equal(weir_messages_csv_end(&csv), 0);
    weir_messages_csv_free(&csv);
    assert_int_equal(fclose(csv.file), 0);
}

static void every_row_has_its_columns_and_an_exact_slowdown(void **state)
{
    (void)state;
    assert_int_equal(weir_messages_csv_header(&csv), 0);
    assert_int_equal(weir_messages_csv_pairs(&csv, rows, 3), 0);
    finish();
    assert_string_equal(text, HEADER "\n7,1,2,1460,100,400,200,150,1.500000,3,4,5\n"
                                     "1099511627776,0,0,0,0,2,3,0,0.666666,0,0,0\n"
                                     "9,0,0,0,0,2,0,0,0.000000,0,0,0\n");
    free(text);
}

static struct weir_account_row call(uint64_t id, uint64_t start_ps, uint64_t end_ps)
{
    return (struct weir_account_row){ .d = { .id = id,
                                             .src = 1,
                                             .dst = 2,
                                             .bytes = 5,
                                             .start_ps = start_ps,
                                             .end_ps = end_ps,
                                             .ideal_ps = 10,
                                             .item = 3 } };
}

static struct weir_account_row reply(uint64_t id, uint64_t to, uint64_t start_ps, uint64_t end_ps)
{
    return (struct weir_account_row){ .d = { .id = id,
                                             .src = 2,
                                             .dst = 1,
                                             .bytes = 4,
                                             .start_ps = start_ps,
                                             .end_ps = end_ps,
                                             .ideal_ps = 10,
                                             .item = 3,
                                             .call = to,
                                             .is_reply = true } };
}

/* Item 3 has replies, item 5 has none. */
static void a_message_waits_for_its_reply_and_has_it_in_its_line(void **state)
{
    const struct weir_account_row first[] = { call(7, 100, 110), rows[0], call(8, 100, 120), call(9, 130, 150) };
    const struct weir_account_row second[] = { reply(20, 9, 150, 171), reply(21, 7, 110, 143) };
    (void)state;
    workload.replies = true;
    workload.reply_bytes[3] = 4;
    assert_int_equal(weir_messages_csv_header(&csv), 0);
    assert_int_equal(weir_messages_csv_pairs(&csv, first, 4), 0);
    assert_int_equal(weir_messages_csv_pairs(&csv, second, 2), 0);
    finish();
    assert_string_equal(text, HEADER ",reply_bytes,reply_start_ps,reply_end_ps,call_ps\n"
                                     "7,1,2,1460,100,400,200,150,1.500000,3,4,5,,,,\n"
                                     "9,1,2,5,130,150,10,0,2.000000,0,0,3,4,150,171,41\n"
                                     "7,1,2,5,100,110,10,0,1.000000,0,0,3,4,110,143,43\n"
                                     "8,1,2,5,100,120,10,0,2.000000,0,0,3,4,,,\n");
    free(text);
}

/* A column of its bytes tells a message whose reply is due from one that has none: a reply may have one byte. */
static void a_reply_of_one_byte_that_has_not_arrived_has_its_size(void **state)
{
    struct weir_account_row due[] = { call(7, 100, 110), call(8, 100, 110) };
    (void)state;
    workload.replies = true;
    workload.reply_bytes[3] = 1;
    workload.reply_bytes[4] = 2;
    due[1].d.item = 4;
    assert_int_equal(weir_messages_csv_pairs(&csv, due, 2), 0);
    finish();
    assert_string_equal(text, "7,1,2,5,100,110,10,0,1.000000,0,0,3,1,,,\n"
                              "8,1,2,5,100,110,10,0,1.000000,0,0,4,2,,,\n");
    free(text);
}

static void without_pairs_replies_are_left_out(void **state)
{
    const struct weir_account_row some[] = { reply(20, 7, 110, 143), call(7, 100, 110) };
    (void)state;
    assert_int_equal(weir_messages_csv_rows(csv.file, some, 2), 0);
    finish();
    assert_string_equal(text, "7,1,2,5,100,110,10,0,1.000000,0,0,3\n");
    free(text);
}

/* The sender of the first does not know yet that it was delivered; that of the second never learns of it. */
static void a_reply_may_be_known_before_its_message(void **state)
{
    const struct weir_account_row some[] = { reply(20, 7, 110, 143), reply(21, 8, 110, 143), call(7, 100, 110) };
    (void)state;
    workload.replies = true;
    workload.reply_bytes[3] = 4;
    assert_int_equal(weir_messages_csv_pairs(&csv, some, 3), 0);
    finish();
    assert_string_equal(text, "7,1,2,5,100,110,10,0,1.000000,0,0,3,4,110,143,43\n");
    free(text);
}

static void an_unwritable_file_is_an_error(void **state)
{
    FILE *full = fopen("/dev/full", "w");
    struct weir_account_row one = call(7, 100, 110);
    (void)state;
    if (full == NULL)
        skip();
    finish();
    free(text);
    (void)setvbuf(full, NULL, _IONBF, 0);
    csv.file = full;
    assert_int_equal(weir_messages_csv_header(&csv), WEIR_E_FILE);
    assert_int_equal(weir_messages_csv_pairs(&csv, rows, 3), WEIR_E_FILE);
    assert_int_equal(weir_messages_csv_rows(full, rows, 3), WEIR_E_FILE);
    workload.reply_bytes[3] = 4;
    assert_int_equal(weir_messages_csv_pairs(&csv, &one, 1), 0);
    assert_int_equal(weir_messages_csv_end(&csv), WEIR_E_FILE);
    weir_messages_csv_free(&csv);
    (void)fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_row_has_its_columns_and_an_exact_slowdown, setup),
        cmocka_unit_test_setup(a_message_waits_for_its_reply_and_has_it_in_its_line, setup),
        cmocka_unit_test_setup(a_reply_of_one_byte_that_has_not_arrived_has_its_size, setup),
        cmocka_unit_test_setup(without_pairs_replies_are_left_out, setup),
        cmocka_unit_test_setup(a_reply_may_be_known_before_its_message, setup),
        cmocka_unit_test_setup(an_unwritable_file_is_an_error, setup),
    };
    return cmocka_run_group_tests_name("output/messages_csv", tests, NULL, NULL);
}
