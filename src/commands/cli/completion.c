/* src/commands/cli/completion.c - prints scripts with which bash, zsh and fish complete command lines. Commands and
 * options come from the usages; protocols, keys and other names from the tables that read scenarios. Everywhere else
 * shells complete files. The scripts do not change until Weir is built again. */
#include "cli/completion_names.h"
#include "cli/manual.h"
#include "cli/usage.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Commands whose arguments are names instead of files, and the kind of these names. */
static const struct names {
    const char *command;
    enum weir_names what;
} commands_names[] = {
    { "list", WEIR_NAMES_LISTS },   { "help", WEIR_NAMES_ALL },         { "schema", WEIR_NAMES_SCHEMAS },
    { "model", WEIR_NAMES_MODELS }, { "reproduce", WEIR_NAMES_PAPERS },
};

/* Collects the names that a command takes as arguments; none if it takes files. @return 0, or WEIR_E_MEMORY */
static int names_of(const char *command, struct weir_name_list *list)
{
    *list = (struct weir_name_list){ .count = 0 };
    for (size_t i = 0; i < sizeof(commands_names) / sizeof(commands_names[0]); i++)
        if (strcmp(commands_names[i].command, command) == 0)
            return weir_names_collect(list, commands_names[i].what);
    return 0;
}

/* Prints the names of a list, separated by blanks, each with `before` in front and `after` behind. */
static void print_list(const struct weir_name_list *list, const char *before, const char *after)
{
    for (size_t i = 0; i < list->count; i++)
        (void)printf("%s%s%s%s", i > 0 ? " " : "", before, list->name[i], after);
}

/* Collects the names of one kind, and prints them as print_list() does. @return 0, or WEIR_E_MEMORY */
static int print_names(enum weir_names what, const char *before, const char *after)
{
    struct weir_name_list list;
    int code = weir_names_collect(&list, what);
    if (code == 0) {
        print_list(&list, before, after);
        weir_names_free(&list);
    }
    return code;
}

/* Tests whether an option is called name. */
static bool is_option(const struct weir_usage_option *option, const char *name)
{
    return (int)strlen(name) == option->name_length && strncmp(option->name, name, strlen(name)) == 0;
}

static bool takes_protocols(const struct weir_usage_option *option)
{
    return is_option(option, "--protocol") || is_option(option, "--protocols");
}

/* Tests whether the value of an option begins with a key of a scenario, as that of --set and of `weir tune --key`. */
static bool takes_keys(const struct weir_usage_option *option)
{
    return is_option(option, "--set") || (option->value_length > 4 && strncmp(option->value, "KEY=", 4) == 0);
}

/* Prints a text for single quotes of a shell: ' as '\'', and each character of `escaped` after a backslash (zsh's
 * descriptions need that for [ ] and :). */
static void print_quoted(const char *text, size_t length, const char *escaped)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'')
            (void)fputs("'\\''", stdout);
        else
            (void)printf(strchr(escaped, text[i]) != NULL ? "\\%c" : "%c", text[i]);
    }
}

/* Calls each() for every option of a command, and last for --help. */
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

/* End of bash's script. Bash splits an argument at '=' into three: the key, the '=' and the value. */
static const char bash_end[] = "        esac\n    fi\n"
                               "    if [ \"$word\" = = ]; then\n        key=$last word=\n"
                               "    elif [ \"$last\" = = ]; then\n        key=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n"
                               "    case ${key:-$last} in\n"
                               "        --protocol | --protocols) words=$protocols\n"
                               "            case $word in *,*) done=${word%,*},; word=${word##*,} ;; esac ;;\n"
                               "        --set) words=$keys; compopt -o nospace 2>/dev/null ;;\n"
                               "        --key) if [ \"${COMP_WORDS[1]}\" = tune ]; then\n"
                               "                words=$keys; compopt -o nospace 2>/dev/null\n            fi ;;\n"
                               "        *) if [ -n \"$key\" ]; then\n"
                               "                words=\n                read -ra pairs <<<\"$values\"\n"
                               "                for pair in \"${pairs[@]}\"; do\n"
                               "                    [ \"${pair%%=*}\" != \"$key\" ] || words+=\" ${pair#*=}\"\n"
                               "                done\n            fi ;;\n    esac\n"
                               "    mapfile -t COMPREPLY < <(compgen -P \"$done\" -W \"$words\" -- \"$word\")\n}\n"
                               "complete -o default -o bashdefault -F _weir weir\n";

static int bash_command(const struct weir_usage *usage)
{
    struct weir_name_list list;
    int code = names_of(usage->name, &list);
    (void)printf("        %s) words='", usage->name);
    print_list(&list, "", "");
    for_options(usage, bash_option);
    (void)fputs("' ;;\n", stdout);
    weir_names_free(&list);
    return code;
}

static int print_bash(void)
{
    const struct weir_usage *usage;
    int code;
    (void)fputs(
        "# Made by `weir help --completion bash`.\n_weir() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]} words= key= done= pair pairs\n"
        "    local protocols='",
        stdout);
    code = print_names(WEIR_NAMES_PROTOCOLS, "", "");
    (void)fputs("'\n    local keys='", stdout);
    code = code != 0 ? code : print_names(WEIR_NAMES_KEYS, "", "=");
    (void)fputs("'\n    local values='", stdout);
    code = code != 0 ? code : print_names(WEIR_NAMES_VALUES, "", "");
    (void)fputs("'\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='--help --version", stdout);
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++)
        (void)printf(" %s", usage->name);
    (void)fputs("'\n    else\n        case ${COMP_WORDS[1]} in\n", stdout);
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL && code == 0; i++)
        code = bash_command(usage);
    (void)fputs(bash_end, stdout);
    return code;
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
        (void)fputs(takes_keys(option)        ? ":_weir_set"
                    : takes_protocols(option) ? ":_weir_protocols"
                                              : ":_files",
                    stdout);
    }
    (void)fputs("'", stdout);
}

/* Part of zsh's script: completes a value after "key=", and a key otherwise. */
static const char zsh_set[] = ")\n    if compset -P '*='; then\n"
                              "        compadd -- ${${(M)values:#$IPREFIX*}#*=}\n"
                              "    else\n        compadd -S '' -- $keys\n    fi\n}\n";

static int zsh_functions(void)
{
    int code;
    (void)fputs("_weir_protocols() {\n    local -a protocols=(", stdout);
    code = print_names(WEIR_NAMES_PROTOCOLS, "", "");
    (void)fputs(")\n    compset -P '*,'\n    compadd -- $protocols\n}\n_weir_set() {\n    local -a keys=(", stdout);
    code = code != 0 ? code : print_names(WEIR_NAMES_KEYS, "'", "='");
    (void)fputs(")\n    local -a values=(", stdout);
    code = code != 0 ? code : print_names(WEIR_NAMES_VALUES, "'", "'");
    (void)fputs(zsh_set, stdout);
    return code;
}

static int zsh_command(const struct weir_usage *usage)
{
    struct weir_name_list list;
    int code = names_of(usage->name, &list);
    (void)printf("        %s) _arguments", usage->name);
    for_options(usage, zsh_option);
    if (list.count > 0) {
        (void)fputs(" \\\n            '*:what:(", stdout);
        print_list(&list, "", "");
        (void)fputs(")' ;;\n", stdout);
    } else {
        (void)fputs(" \\\n            '*:file:_files' ;;\n", stdout);
    }
    weir_names_free(&list);
    return code;
}

static int print_zsh(void)
{
    const struct weir_usage *usage;
    int code;
    (void)fputs("#compdef weir\n# Made by `weir help --completion zsh`.\n", stdout);
    code = zsh_functions();
    (void)fputs("_weir() {\n    local -a commands=(\n", stdout);
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++) {
        (void)printf("        '%s:", usage->name);
        print_quoted(usage->does, strlen(usage->does), ":\\");
        (void)fputs("'\n", stdout);
    }
    (void)fputs("    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
                "    shift words\n    ((CURRENT--))\n    case $words[1] in\n",
                stdout);
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL && code == 0; i++)
        code = zsh_command(usage);
    (void)fputs("    esac\n}\n_weir \"$@\"\n", stdout);
    return code;
}

static void fish_option(const struct weir_usage *usage, const struct weir_usage_option *option,
                        const struct weir_usage_line *line)
{
    bool is_long = strncmp(option->name, "--", 2) == 0;
    const char *values = takes_keys(option)         ? " -r -a '(__weir_set)'"
                         : takes_protocols(option)  ? " -r -f -a '(__fish_complete_list , __weir_protocols)'"
                         : option->value_length > 0 ? " -r"
                                                    : "";
    (void)printf("complete -c weir -n '__fish_seen_subcommand_from %s' -%s %.*s%s -d '", usage->name,
                 is_long ? "l" : "s", option->name_length - 1 - is_long, option->name + 1 + is_long, values);
    print_quoted(line->text, (size_t)line->text_length, "\\");
    (void)fputs("'\n", stdout);
}

/* Prints the functions of fish's script. They complete "key=", and "key=value" where a key has few values, because fish
 * completes an argument as a whole. */
static int fish_functions(void)
{
    int code;
    (void)fputs("function __weir_protocols\n    printf '%s\\n' ", stdout);
    code = print_names(WEIR_NAMES_PROTOCOLS, "", "");
    (void)fputs("\nend\nfunction __weir_set\n    printf '%s\\n' ", stdout);
    code = code != 0 ? code : print_names(WEIR_NAMES_KEYS, "'", "='");
    (void)fputs(" ", stdout);
    code = code != 0 ? code : print_names(WEIR_NAMES_VALUES, "'", "'");
    (void)fputs("\nend\n", stdout);
    return code;
}

static int fish_command(const struct weir_usage *usage)
{
    struct weir_name_list list;
    int code = names_of(usage->name, &list);
    if (list.count > 0) {
        (void)printf("complete -c weir -n '__fish_seen_subcommand_from %s' -f -a '", usage->name);
        print_list(&list, "", "");
        (void)fputs("'\n", stdout);
    }
    for_options(usage, fish_option);
    weir_names_free(&list);
    return code;
}

static int print_fish(void)
{
    const struct weir_usage *usage;
    int code;
    (void)fputs("# Made by `weir help --completion fish`.\n", stdout);
    code = fish_functions();
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++) {
        (void)printf("complete -c weir -n __fish_use_subcommand -f -a %s -d '", usage->name);
        print_quoted(usage->does, strlen(usage->does), "\\");
        (void)fputs("'\n", stdout);
    }
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL && code == 0; i++)
        code = fish_command(usage);
    return code;
}

int weir_cli_completion(const char *shell, struct weir_err *err)
{
    static const struct {
        const char *name;
        int (*print)(void);
    } shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };
    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
        if (strcmp(shells[i].name, shell) == 0)
            return shells[i].print() == 0 ? 0 : weir_fail_memory(err);
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, "known: bash, zsh, fish", "--completion %.80s: no such shell", shell);
}
