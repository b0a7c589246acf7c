/* test/unit/seal/test_keyfile.c - files of keys: what is read, what is refused and where, what a new one is like. */
#include "test/unit/refusal.h"
#include "test/unit/seal/seal_test.h"
#include "seal/keyfile.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define A "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=" /* 32 bytes of 1 */
#define B "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="
#define NAME32 "abcdefghijklmnopqrstuvwxyz.-_012"

static struct weir_keys keys;
static struct weir_err err;

static int parse(const char *text)
{
    return weir_keys_parse(&keys, text, strlen(text), "keys", &err);
}

static void the_first_key_is_used_and_all_are_known(void **state)
{
    (void)state;
    needs_sodium();
    assert_int_equal(parse("# used first\n\n  7\tnew-fleet  " A "  \n \t \n\t# old\n65535 a.b_c " B), 0);
    assert_int_equal(keys.count, 2);
    assert_int_equal(keys.key[0].number, 7);
    assert_string_equal(keys.key[0].name, "new-fleet");
    assert_int_equal(keys.key[0].bytes[31], 1);
    assert_ptr_equal(weir_keys_find(&keys, 65535), &keys.key[1]);
    assert_string_equal(keys.key[1].name, "a.b_c");
    assert_int_equal(keys.key[1].bytes[0], 2);
    assert_null(weir_keys_find(&keys, 6));
    assert_null(weir_keys_find(&keys, 8));
    assert_null(weir_keys_find(&keys, 0));
    assert_null(weir_keys_find(&keys, 65536 + 7));
    assert_int_equal(parse("1 " NAME32 " " A "\n"), 0);
    assert_string_equal(keys.key[0].name, NAME32);
    weir_keys_wipe(&keys);
    assert_int_equal(keys.count, 0);
    assert_int_equal(keys.key[0].bytes[31], 0);
}

static void bad_lines_are_refused_where_they_are(void **state)
{
    static const struct {
        const char *text;
        enum weir_err_code code;
        const char *place, *key;
    } table[] = {
        { "", WEIR_E_SYNTAX, "keys", "no key" },
        { "\n\n# 1 a " A "\n", WEIR_E_SYNTAX, "keys", "no key" },
        { "1 a " A "\n2 b\n", WEIR_E_SYNTAX, "keys:2", "two" },
        { "\n\n1", WEIR_E_SYNTAX, "keys:3", "one" },
        { "1 a " A " # mine", WEIR_E_SYNTAX, "keys:1", "more" },
        { "0 a " A, WEIR_E_RANGE, "keys:1", "number" },
        { "65536 a " A, WEIR_E_RANGE, "keys:1", "65535" },
        { "18446744073709551617 a " A, WEIR_E_RANGE, "keys:1", "number" },
        { "-1 a " A, WEIR_E_RANGE, "keys:1", "number" },
        { "1x a " A, WEIR_E_RANGE, "keys:1", "number" },
        { A " a 1", WEIR_E_RANGE, "keys:1", "number" },
        { "1 a/b " A, WEIR_E_RANGE, "keys:1", "name" },
        { "1 " NAME32 "3 " A, WEIR_E_RANGE, "keys:1", "32" },
        { "1 a AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ==", WEIR_E_RANGE, "keys:1", "31" },
        { "1 a AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB", WEIR_E_RANGE, "keys:1", "33" },
        { "1 a AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE", WEIR_E_SYNTAX, "keys:1", "base64" },
        { "1 a AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQF=", WEIR_E_SYNTAX, "keys:1", "base64" },
        { "1 a AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBA-E=", WEIR_E_SYNTAX, "keys:1", "base64" },
        { "1 a " A "\r\n", WEIR_E_SYNTAX, "keys:1", "base64" },
        { "1 a AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", WEIR_E_RANGE, "keys:1", "zeros" },
        { "1 a " A "\n01 b " B "\n", WEIR_E_CONFLICT, "keys:2", "twice" },
    };
    static const char with_zero[] = "1 a\0b " A;
    (void)state;
    needs_sodium();
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        assert_int_not_equal(parse(table[i].text), 0);
        assert_refusal(&err, table[i].code, table[i].place, table[i].key);
        assert_int_equal(keys.count, 0);
        assert_null(strstr(err.text, A)); /* a key that stands where a number should is not printed */
        assert_null(strstr(err.hint, A));
    }
    assert_int_not_equal(weir_keys_parse(&keys, with_zero, sizeof(with_zero) - 1, "keys", &err), 0);
    assert_refusal(&err, WEIR_E_RANGE, "keys:1", "name");
}

static void a_file_has_at_most_256_keys(void **state)
{
    static char text[WEIR_KEY_FILE_MAX];
    size_t size = 0;
    (void)state;
    needs_sodium();
    for (unsigned i = 1; i <= 257; i++) {
        size += (size_t)snprintf(text + size, sizeof(text) - size, "%u k %s\n", i, A);
        if (i == 256)
            assert_int_equal(weir_keys_parse(&keys, text, size, "keys", &err), 0);
    }
    assert_int_equal(keys.count, 256);
    assert_int_not_equal(weir_keys_parse(&keys, text, size, "keys", &err), 0);
    assert_refusal(&err, WEIR_E_RANGE, "keys:257", "256");
}

/* --- files --- */

static char folder[] = "/tmp/weir-keys-XXXXXX", path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(path, sizeof(path), "%s/keys", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static void write_file(const char *text, size_t size, mode_t mode)
{
    int fd;
    (void)unlink(path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), size);
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(close(fd), 0);
}

static void only_its_owner_may_read_a_file(void **state)
{
    static const struct {
        mode_t mode;
        bool taken;
    } table[] = { { 0600, true },  { 0400, true },  { 0601, false }, { 0610, false }, { 0604, false }, { 0620, false },
                  { 0640, false }, { 0644, false }, { 0700, false }, { 0777, false }, { 04600, false } };
    static const char text[] = "1 a " A;
    char mode[8];
    (void)state;
    needs_sodium();
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        write_file(text, strlen(text), table[i].mode);
        assert_int_equal(weir_keys_read(&keys, path, &err) == 0, table[i].taken);
        assert_int_equal(keys.count, table[i].taken ? 1 : 0);
        if (table[i].taken)
            continue;
        (void)snprintf(mode, sizeof(mode), "%04o", (unsigned)table[i].mode);
        assert_int_equal(err.code, WEIR_E_FILE);
        assert_string_equal(err.file, path);
        assert_non_null(strstr(err.text, mode));
        assert_non_null(strstr(err.hint, "chmod 600"));
    }
}

static void what_is_no_regular_file_is_refused(void **state)
{
    (void)state;
    needs_sodium();
    (void)unlink(path);
    assert_int_equal(weir_keys_read(&keys, path, &err), WEIR_E_FILE);
    assert_non_null(strstr(err.hint, "weir key new"));
    assert_int_equal(weir_keys_read(&keys, folder, &err), WEIR_E_FILE);
    assert_non_null(strstr(err.text, "folder"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(weir_keys_read(&keys, path, &err), WEIR_E_FILE); /* and does not wait for a writer */
    assert_non_null(strstr(err.text, "regular"));
    assert_int_equal(weir_keys_read(&keys, "/dev/null", &err), WEIR_E_FILE);
}

static void a_file_has_at_most_64_kib(void **state)
{
    static char text[WEIR_KEY_FILE_MAX + 1];
    (void)state;
    needs_sodium();
    memset(text, '\n', sizeof(text));
    memcpy(text, "1 a " A, 4 + sizeof(A) - 1);
    write_file(text, WEIR_KEY_FILE_MAX, 0600);
    assert_int_equal(weir_keys_read(&keys, path, &err), 0);
    write_file(text, WEIR_KEY_FILE_MAX + 1, 0600);
    assert_int_equal(weir_keys_read(&keys, path, &err), WEIR_E_RANGE);
    assert_non_null(strstr(err.text, "65536"));
    assert_int_equal(keys.count, 0);
}

static void a_new_file_has_one_random_key(void **state)
{
    struct weir_keys other;
    struct stat at;
    (void)state;
    needs_sodium();
    (void)unlink(path);
    (void)umask(0);
    assert_int_equal(weir_key_create(path, 65535, NAME32, &err), 0);
    assert_int_equal(stat(path, &at), 0);
    assert_int_equal(at.st_mode & 07777, 0600);
    assert_int_equal(weir_keys_read(&keys, path, &err), 0);
    assert_int_equal(keys.count, 1);
    assert_int_equal(keys.key[0].number, 65535);
    assert_string_equal(keys.key[0].name, NAME32);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(weir_key_create(path, 1, "b", &err), 0);
    assert_int_equal(weir_keys_read(&other, path, &err), 0);
    assert_memory_not_equal(keys.key[0].bytes, other.key[0].bytes, WEIR_KEY_BYTES);
}

static void nothing_is_overwritten(void **state)
{
    char text[32] = { 0 };
    int fd;
    (void)state;
    needs_sodium();
    write_file("precious", 8, 0600);
    assert_int_equal(weir_key_create(path, 1, "a", &err), WEIR_E_FILE);
    assert_non_null(strstr(err.text, "already"));
    fd = open(path, O_RDONLY);
    assert_int_equal(read(fd, text, sizeof(text)), 8);
    assert_string_equal(text, "precious");
    (void)close(fd);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("elsewhere", path), 0); /* leads nowhere: O_EXCL does not follow it */
    assert_int_equal(weir_key_create(path, 1, "a", &err), WEIR_E_FILE);
    assert_int_equal(weir_key_create("/nowhere/keys", 1, "a", &err), WEIR_E_FILE);
}

static void names_are_short_and_plain(void **state)
{
    (void)state;
    assert_true(weir_key_name_fits("a"));
    assert_true(weir_key_name_fits(NAME32));
    assert_false(weir_key_name_fits(NAME32 "3"));
    assert_false(weir_key_name_fits(""));
    assert_false(weir_key_name_fits("a b"));
    assert_false(weir_key_name_fits("a\n"));
    assert_false(weir_key_name_fits("#a"));
    assert_false(weir_key_name_fits("\xc3\xa4"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_key_is_used_and_all_are_known),
        cmocka_unit_test(bad_lines_are_refused_where_they_are),
        cmocka_unit_test(a_file_has_at_most_256_keys),
        cmocka_unit_test(only_its_owner_may_read_a_file),
        cmocka_unit_test(what_is_no_regular_file_is_refused),
        cmocka_unit_test(a_file_has_at_most_64_kib),
        cmocka_unit_test(a_new_file_has_one_random_key),
        cmocka_unit_test(nothing_is_overwritten),
        cmocka_unit_test(names_are_short_and_plain),
    };
    return cmocka_run_group_tests_name("seal/keyfile", tests, make_folder, remove_folder);
}
