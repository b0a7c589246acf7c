/* src/commands/cli/lengthened.c - see lengthened.h. */
#include "cli/lengthened.h"
#include "text/memory.h"
#include "text/print.h"
#include <stdlib.h>
#include <string.h>

enum { SETTING = 96 };

/* Tests whether a setting on the command line, "run.measure=1 ms", has the key of a setting of the advice. */
static bool is_replaced(const struct weir_advice *advice, const char *given)
{
    char setting[SETTING];
    size_t length = strcspn(given, "= ");
    for (uint32_t i = 0; weir_advice_setting(advice, i, setting, sizeof(setting)); i++)
        if (strcspn(setting, "=") == length && strncmp(given, setting, length) == 0)
            return true;
    return false;
}

/* Returns the number of arguments, from argv[at] on, that the completed command does not have: --fresh, which is added
 * behind the others, and settings that are replaced. */
static int left_out(const struct weir_advice *advice, int argc, char **argv, int at)
{
    static const char set[] = "--set=";
    if (strcmp(argv[at], "--fresh") == 0)
        return 1;
    if (strncmp(argv[at], set, sizeof(set) - 1) == 0)
        return is_replaced(advice, argv[at] + sizeof(set) - 1) ? 1 : 0;
    return strcmp(argv[at], "--set") == 0 && at + 1 < argc && is_replaced(advice, argv[at + 1]) ? 2 : 0;
}

static void put_lengths(FILE *out, const struct weir_advice *advice)
{
    char setting[SETTING];
    for (uint32_t i = 0; weir_advice_setting(advice, i, setting, sizeof(setting)); i++) {
        (void)fputs(" --set ", out);
        weir_cli_shell_argument(out, setting);
    }
    (void)fputs(" --fresh", out);
}

static void put_command(FILE *out, const struct weir_advice *advice, int argc, char **argv)
{
    int at = 1;
    (void)fprintf(out, "weir %s", argv[0]);
    while (at < argc && strcmp(argv[at], "--") != 0) {
        int left = left_out(advice, argc, argv, at);
        if (left == 0) {
            (void)fputc(' ', out);
            weir_cli_shell_argument(out, argv[at]);
        }
        at += left > 0 ? left : 1;
    }
    put_lengths(out, advice);
    for (; at < argc; at++) { /* "--" and what is no option */
        (void)fputc(' ', out);
        weir_cli_shell_argument(out, argv[at]);
    }
}

int weir_lengthened_command(struct weir_advice *advice, int argc, char **argv, struct weir_tree_arena *arena,
                            struct weir_err *err)
{
    struct weir_memory memory;
    if (advice->runs == 0)
        return 0;
    if (weir_memory_open(&memory) != NULL)
        put_command(memory.file, advice, argc, argv);
    if (weir_memory_close(&memory))
        advice->command = weir_tree_arena_text(arena, memory.bytes, memory.length);
    free(memory.bytes);
    return advice->command != NULL ? 0 : weir_fail_memory(err);
}
