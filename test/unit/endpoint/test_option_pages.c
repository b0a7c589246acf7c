/* test/unit/endpoint/test_option_pages.c - weir.h and the manual page of weir_open() against the rows of the options:
 * each has what the row says. Who adds a row learns here what the two lack. */
#include "test/unit/weir_test.h"
#include "test/unit/endpoint/internals.h"
#include "param/param.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static char header[65536], manual[65536];

static int read_file(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t used;
    if (file == NULL)
        return -1;
    used = fread(out, 1, size - 1, file);
    out[used] = '\0';
    return fclose(file) == 0 && used > 0 && used < size - 1 ? 0 : -1;
}

static int read_pages(void **state)
{
    (void)state;
    if (read_file("include/weir/weir.h", header, sizeof(header)) != 0)
        return -1;
    return read_file("doc/man/weir_open.3", manual, sizeof(manual));
}

struct field { /* of struct weir_opts in weir.h */
    char name[32];
    char text[512]; /* its declaration, with the comment above it or behind it */
};

/* Reads the field that begins at *at, and moves *at behind it. @return false = the struct ends here */
static bool next_field(const char **at, struct field *out)
{
    out->text[0] = '\0';
    while (strncmp(*at, "};", 2) != 0) {
        const char *end = strchr(*at, '\n'), *last;
        assert_non_null(end);
        assert_true(strlen(out->text) + (size_t)(end - *at) < sizeof(out->text));
        (void)strncat(out->text, *at, (size_t)(end - *at));
        last = memchr(*at, ';', (size_t)(end - *at));
        if (last != NULL && isalpha((unsigned char)(*at)[4])) { /* no line of a comment */
            const char *first = last;
            while (isalnum((unsigned char)first[-1]) || first[-1] == '_')
                first--;
            (void)snprintf(out->name, sizeof(out->name), "%.*s", (int)(last - first), first);
            *at = end + 1;
            return true;
        }
        *at = end + 1;
    }
    return false;
}

static const char *begin_fields(void)
{
    const char *at = strstr(header, "struct weir_opts {\n");
    assert_non_null(at);
    return strchr(at, '\n') + 1;
}

static void every_option_has_a_row(void **state)
{
    const char *at = begin_fields();
    struct field field;
    size_t fields = 0, rows = 0;
    (void)state;
    for (; next_field(&at, &field); fields++) {
        if (strcmp(field.name, "size") != 0 && strcmp(field.name, "flags") != 0 &&
            weir_param_find(ep_option_rows, field.name) == NULL)
            fail_msg("weir_opts.%s has no row in endpoint/options.c", field.name);
    }
    for (const struct weir_param *row = ep_option_rows; row->key != NULL; row++)
        rows++;
    assert_int_equal(fields, rows + 2);
}

/* Fails unless weir.h has this text at the option. */
static void header_has(const struct weir_param *row, const char *what, const char *text)
{
    const char *at = begin_fields();
    struct field field;
    while (next_field(&at, &field)) {
        if (strcmp(field.name, row->key) == 0 && strstr(field.text, text) == NULL)
            fail_msg("weir.h: the %s of %s is %s, and not in: %s", what, row->key, text, field.text);
    }
}

static void print_default(const struct weir_param *row, char *out, size_t size)
{
    if (row->kind == WEIR_KIND_TEXT)
        (void)snprintf(out, size, "%s", row->text_fallback != NULL ? row->text_fallback : "");
    else
        ep_option_print(row, row->fallback, out, size);
}

static void weir_h_has_the_defaults_and_the_ends_it_names(void **state)
{
    static const struct {
        const char *key;
        bool is_max;
    } named[] = { { "rx_bytes", false }, { "max_peers", true },        { "mtu", false },
                  { "mtu", true },       { "peer_timeout_ns", false }, { "peer_timeout_ns", true } };
    char amount[64];
    (void)state;
    for (const struct weir_param *row = ep_option_rows; row->key != NULL; row++) {
        print_default(row, amount, sizeof(amount));
        if (strcmp(row->key, "bind") != 0) /* its default is there in words: any address, a free port */
            header_has(row, "default", amount);
    }
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        const struct weir_param *row = weir_param_find(ep_option_rows, named[i].key);
        assert_non_null(row);
        ep_option_print(row, named[i].is_max ? row->max : row->min, amount, sizeof(amount));
        header_has(row, named[i].is_max ? "most" : "least", amount);
    }
}

/* Prints the item of an option as the manual page has to have it: what it is; its range and its default. */
static void print_item(const struct weir_param *row, char *out, size_t size)
{
    const char *before = "by default ";
    char number[64], range[160] = "", second[320] = "";
    print_default(row, number, sizeof(number));
    if (row->keyword != NULL && row->keyword->value == 0)
        before = strcmp(row->key, "mtu") == 0 ? "by default what the device reports, but at most "
                                              : "by default what the device reports, else ";
    if (row->kind != WEIR_KIND_TEXT && row->max != UINT32_MAX) { /* else all that the field can hold */
        ep_option_print_range(row, range, sizeof(range) - 2);
        (void)strcat(range, ", ");
    }
    if (number[0] != '\0')
        (void)snprintf(second, sizeof(second), "%s%s%s.\n", range, before, number);
    second[0] = (char)toupper((unsigned char)second[0]);
    (void)snprintf(out, size, ".It Fa %s\n%c%s.\n%s", row->key, toupper((unsigned char)row->hint[0]), row->hint + 1,
                   second);
}

static void the_manual_page_has_what_the_rows_say(void **state)
{
    char item[512];
    (void)state;
    for (const struct weir_param *row = ep_option_rows; row->key != NULL; row++) {
        print_item(row, item, sizeof(item));
        if (strstr(manual, item) == NULL)
            fail_msg("doc/man/weir_open.3 has to have:\n%s", item);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_has_a_row),
        cmocka_unit_test(weir_h_has_the_defaults_and_the_ends_it_names),
        cmocka_unit_test(the_manual_page_has_what_the_rows_say),
    };
    return cmocka_run_group_tests_name("endpoint/option_pages", tests, read_pages, NULL);
}
