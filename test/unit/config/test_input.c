/* test/unit/config/test_input.c - a file is opened without waiting for anybody; pipes are read where a program writes
 * to them. */
#include "test/unit/weir_test.h"
#include "config/input.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], name[96];
static const char *why;

static int setup(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/weir-input-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(name, sizeof(name), "%s/it", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    (void)unlink(name);
    return rmdir(folder);
}

static void assert_reads(FILE *file, const char *want)
{
    char text[16] = "";
    if (file == NULL)
        fail_msg("%s", why);
    assert_int_equal(fread(text, 1, sizeof(text) - 1, file), strlen(want));
    assert_string_equal(text, want);
    assert_int_equal(fclose(file), 0);
}

static void a_file_is_read(void **state)
{
    FILE *out = fopen(name, "w");
    (void)state;
    assert_non_null(out);
    assert_true(fputs("hosts: 4", out) >= 0);
    assert_int_equal(fclose(out), 0);
    assert_reads(weir_input_open(name, true, &why), "hosts: 4");
    assert_reads(weir_input_open(name, false, &why), "hosts: 4");
}

static void what_is_not_there_has_a_reason(void **state)
{
    (void)state;
    assert_null(weir_input_open(name, true, &why));
    assert_string_equal(why, "No such file or directory");
}

static void a_pipe_without_a_writer_is_refused_at_once(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(name, 0600), 0);
    assert_null(weir_input_open(name, true, &why));
    assert_string_equal(why, "no program writes to this pipe");
}

static void a_pipe_with_a_writer_is_read_to_its_end(void **state)
{
    int reader, writer;
    FILE *file;
    (void)state;
    assert_int_equal(mkfifo(name, 0600), 0);
    reader = open(name, O_RDONLY | O_NONBLOCK);
    writer = open(name, O_WRONLY);
    assert_true(reader >= 0 && writer >= 0);
    file = weir_input_open(name, true, &why); /* nothing is in it yet */
    assert_int_equal(write(writer, "hosts", 5), 5);
    assert_int_equal(close(writer), 0);
    assert_reads(file, "hosts");
    writer = open(name, O_WRONLY);
    assert_int_equal(write(writer, "hosts: 2", 8), 8);
    file = weir_input_open(name, true, &why); /* its first byte has been read */
    assert_int_equal(close(writer), 0);
    assert_reads(file, "hosts: 2");
    assert_int_equal(close(reader), 0);
}

static void what_is_read_twice_is_a_regular_file(void **state)
{
    (void)state;
    assert_null(weir_input_open("/dev/null", false, &why));
    assert_string_equal(why, "not a regular file");
    assert_int_equal(mkfifo(name, 0600), 0);
    assert_null(weir_input_open(name, false, &why));
    assert_string_equal(why, "not a regular file");
}

static void a_whole_file_is_read_and_one_byte_more_than_asked(void **state)
{
    FILE *out = fopen(name, "w");
    size_t length;
    (void)state;
    assert_non_null(out);
    assert_true(fputs("hosts: 4", out) >= 0);
    assert_int_equal(fclose(out), 0);
    for (size_t max = 6; max <= 9; max++) {
        char *text = weir_input_read(name, max % 2 == 0, max, &length, &why);
        assert_non_null(text);
        assert_null(why);
        assert_int_equal(length, max < 8 ? max + 1 : 8);
        assert_int_equal(strncmp(text, "hosts: 4", length), 0);
        assert_int_equal(text[length], '\0');
        free(text);
    }
}

static void what_cannot_be_read_has_a_reason(void **state)
{
    size_t length = 1;
    (void)state;
    assert_null(weir_input_read(name, true, 8, &length, &why));
    assert_string_equal(why, "No such file or directory");
    assert_int_equal(length, 0);
    assert_null(weir_input_read(folder, true, 8, &length, &why)); /* opened, but not read */
    assert_string_equal(why, "Is a directory");
    assert_null(weir_input_read(folder, false, 8, &length, &why));
    assert_string_equal(why, "not a regular file");
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_read),
        TEST(what_is_not_there_has_a_reason),
        TEST(a_pipe_without_a_writer_is_refused_at_once),
        TEST(a_pipe_with_a_writer_is_read_to_its_end),
        TEST(what_is_read_twice_is_a_regular_file),
        TEST(a_whole_file_is_read_and_one_byte_more_than_asked),
        TEST(what_cannot_be_read_has_a_reason),
    };
    return cmocka_run_group_tests_name("config/input", tests, NULL, NULL);
}
