/* src/cli/completion.c - what bash, zsh and fish complete: commands and options as in the usages, files everywhere else. The options
 * are in the files as they were when Weir was built; names of protocols, workloads and the like are asked of the program. */
#include "cli/manual.h"
#include "cli/usage.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Words that come after a command, where they are not files. */
static const struct words {
    const char *command, *words;
} commands_words[] = {
    { "list", "protocols features workloads topologies experiments" },
    { "model", "rpm" },
    { "reproduce", "sird fncc soze rpm dart sird-testbed" },
};

static const char *words_of(const char *command)
{
    for (size_t i = 0; i < sizeof(commands_words) / sizeof(commands_words[0]); i++)
        if (strcmp(commands_words[i].command, command) == 0)
            return commands_words[i].words;
    return NULL;
}

/* A text in single quotes of a shell: \' as '\'', in zsh's descriptions also [ ] and : behind a backslash. */
static void print_quoted(const char *text, size_t length, const char *escaped)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'')
            (void)fputs("'\\''", stdout);
        else
            (void)printf(strchr(escaped, text[i]) != NULL ? "\\%c" : "%c", text[i]);
    }
}

/* Calls `each` for every option of a command, --help last. */
static void for_options(const struct weir_usage *usage,
                        void (*each)(const struct weir_usage *usage, const struct weir_usage_option *option,
                                     const struct weir_usage_line *line))
{
    static const char help[] = "--help";
    const struct weir_usage_option last = { .name = help, .name_length = (int)sizeof(help) - 1 };
    const struct weir_usage_line about = { .text = "how to call it", .text_length = 14 };
    struct weir_usage_line line;
    struct weir_usage_option option;
    for (const char *at = usage->more; (at = weir_usage_next(at, &line)) != NULL;) {
        int from = 0, used;
        if (line.kind != WEIR_USAGE_OPTION)
            continue;
        while ((used = weir_usage_option(line.head + from, line.head_length - from, &option)) > 0) {
            each(usage, &option, &line);
            from += used;
        }
    }
    each(usage, &last, &about);
}

static void bash_option(const struct weir_usage *usage, const struct weir_usage_option *option,
                        const struct weir_usage_line *line)
{
    (void)usage;
    (void)line;
    (void)printf(" %.*s", option->name_length, option->name);
}

static void print_bash(void)
{
    const struct weir_usage *usage;
    (void)fputs("# Made by `weir help --completion bash`.\n_weir() {\n    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
                "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='--help --version",
                stdout);
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++)
        (void)printf(" %s", usage->name);
    (void)fputs("'\n    else\n        case ${COMP_WORDS[1]} in\n", stdout);
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++) {
        const char *words = words_of(usage->name);
        (void)printf("        %s) words='%s", usage->name, words != NULL ? words : "");
        for_options(usage, bash_option);
        (void)fputs("' ;;\n", stdout);
    }
    (void)fputs("        esac\n        case ${COMP_WORDS[COMP_CWORD - 1]} in\n"
                "        --protocol | --protocols) words=$(weir list protocols 2>/dev/null | awk 'NR > 1 && /^  [a-z]/ "
                "{print $1}') ;;\n"
                "        esac\n    fi\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
                "complete -o default -o bashdefault -F _weir weir\n",
                stdout);
}

static void zsh_option(const struct weir_usage *usage, const struct weir_usage_option *option,
                       const struct weir_usage_line *line)
{
    (void)usage;
    (void)printf(" \\\n            '*%.*s[", option->name_length, option->name);
    print_quoted(line->text, (size_t)line->text_length, "[]:\\");
    (void)fputs("]", stdout);
    if (option->value_length > 0) {
        (void)fputs(":", stdout);
        print_quoted(option->value, (size_t)option->value_length, "[]:\\");
        (void)fputs(":_files", stdout);
    }
    (void)fputs("'", stdout);
}

static void print_zsh(void)
{
    const struct weir_usage *usage;
    (void)fputs("#compdef weir\n# Made by `weir help --completion zsh`.\n_weir() {\n    local -a commands=(\n", stdout);
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++) {
        (void)printf("        '%s:", usage->name);
        print_quoted(usage->does, strlen(usage->does), ":\\");
        (void)fputs("'\n", stdout);
    }
    (void)fputs("    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
                "    shift words\n    ((CURRENT--))\n    case $words[1] in\n",
                stdout);
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++) {
        const char *words = words_of(usage->name);
        (void)printf("        %s) _arguments", usage->name);
        for_options(usage, zsh_option);
        if (words != NULL)
            (void)printf(" \\\n            '*:what:(%s)' ;;\n", words);
        else
            (void)fputs(" \\\n            '*:file:_files' ;;\n", stdout);
    }
    (void)fputs("    esac\n}\n_weir \"$@\"\n", stdout);
}

static void fish_option(const struct weir_usage *usage, const struct weir_usage_option *option,
                        const struct weir_usage_line *line)
{
    bool is_long = strncmp(option->name, "--", 2) == 0;
    (void)printf("complete -c weir -n '__fish_seen_subcommand_from %s' -%s %.*s%s -d '", usage->name,
                 is_long ? "l" : "s", option->name_length - 1 - is_long, option->name + 1 + is_long,
                 option->value_length > 0 ? " -r" : "");
    print_quoted(line->text, (size_t)line->text_length, "\\");
    (void)fputs("'\n", stdout);
}

static void print_fish(void)
{
    const struct weir_usage *usage;
    (void)fputs("# Made by `weir help --completion fish`.\n", stdout);
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++) {
        (void)printf("complete -c weir -n __fish_use_subcommand -f -a %s -d '", usage->name);
        print_quoted(usage->does, strlen(usage->does), "\\");
        (void)fputs("'\n", stdout);
    }
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++) {
        const char *words = words_of(usage->name);
        if (words != NULL)
            (void)printf("complete -c weir -n '__fish_seen_subcommand_from %s' -a '%s'\n", usage->name, words);
        for_options(usage, fish_option);
    }
}

int weir_cli_completion(const char *shell, struct weir_err *err)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };
    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print();
            return 0;
        }
    }
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, "known: bash, zsh, fish", "--completion %.80s: no such shell", shell);
}
