/* src/commands/cli/list.c - `weir list` and `weir help`: prints names and their explanations, from the tables that read
 * scenarios. */
#include "cli/cli.h"
#include "cli/manual.h"
#include "cli/usage.h"
#include "config/help.h"
#include "config/table.h"
#include "output/metrics.h"
#include "reproduce/experiment_load.h"
#include "testbed/figs.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WHAT = 256, DIR_MAX = 4096, SOURCES_UP_MAX = 2 };

static int refused(const struct weir_err *err)
{
    weir_cli_error(err);
    return WEIR_EXIT_USAGE;
}

static int refuse_extra(const char *command, const char *argument)
{
    struct weir_err err;
    char hint[64];
    (void)snprintf(hint, sizeof(hint), "weir %s --help shows how to call it", command);
    (void)weir_fail(&err, WEIR_E_SYNTAX, NULL, hint, "%s: %s: one argument too many", command, argument);
    return refused(&err);
}

static bool is_folder(const char *name)
{
    struct stat there;
    return stat(name, &there) == 0 && S_ISDIR(there.st_mode);
}

/* Finds the folder "experiments": in the current folder, else in the folder of the program or up to SOURCES_UP_MAX
 * folders above it. So a program in build/ or build/NAME/ of the sources finds it. The binary contains no path of the
 * sources, so that builds in two folders are equal. @return false if there is no such folder */
static bool find_experiments(char dir[DIR_MAX])
{
    static const char name[] = "experiments";
    ssize_t length;
    (void)snprintf(dir, DIR_MAX, "%s", name);
    if (is_folder(dir))
        return true;
    length = readlink("/proc/self/exe", dir, DIR_MAX - sizeof(name));
    if (length <= 0 || length == DIR_MAX - (ssize_t)sizeof(name))
        return false;
    dir[length] = '\0';
    for (int up = 0; up <= SOURCES_UP_MAX; up++) {
        char *slash = strrchr(dir, '/');
        if (slash == NULL)
            return false;
        memcpy(slash + 1, name, sizeof(name)); /* readlink() left room for it */
        if (is_folder(dir))
            return true;
        *slash = '\0';
    }
    return false;
}

/* Adds a row per figure of a built-in experiment to the table. */
static void list_figures(struct weir_table *t, const struct weir_experiment *exp)
{
    char what[WHAT];
    for (uint32_t f = 0; f < exp->figure_count; f++) {
        const struct weir_figure *figure = &exp->figure[f];
        (void)snprintf(what, sizeof(what), "%s%s%s%s%s", figure->title, figure->skip != NULL ? " (skipped: " : "",
                       figure->skip != NULL ? figure->skip : "", figure->skip != NULL ? ")" : "",
                       figure->on_request ? " (only when named)" : "");
        weir_table_row(t, (const char *const[]){ exp->origin.id, figure->name, what });
    }
}

/* Adds a row per figure of a paper that is measured on a testbed. */
static void list_testbed(struct weir_table *t, const struct weir_fig_paper *paper)
{
    char what[WHAT];
    for (const struct weir_fig *fig = paper->fig; fig->name != NULL; fig++) {
        (void)snprintf(what, sizeof(what), "%s%s", fig->hint,
                       weir_fig_is_usual(paper, fig) ? "" : " (only when named)");
        weir_table_row(t, (const char *const[]){ paper->name, fig->name, what });
    }
}

/* Prints the experiments and figures that `weir reproduce` knows by name. @return 0, or a code with err */
static int list_builtin(struct weir_err *err)
{
    struct weir_tree_arena *arena = weir_tree_arena_new();
    struct weir_table t = { .out = stdout, .columns = 3 };
    struct weir_experiment exp;
    int code = arena != NULL ? 0 : weir_fail_memory(err);
    for (int pass = 0; pass < 2 && code == 0; pass++) {
        const char *name;
        uint32_t at = 0;
        t.measuring = pass == 0;
        weir_table_row(&t, (const char *const[]){ "experiment", "figure", "what weir reproduce runs" });
        while ((name = weir_origin_builtin(&at, arena)) != NULL && code == 0) {
            code = weir_experiment_load(&exp, name, err);
            if (code != 0)
                break;
            list_figures(&t, &exp);
            weir_experiment_free(&exp);
        }
        for (const struct weir_fig_paper *paper = weir_fig_papers; paper->name != NULL; paper++)
            list_testbed(&t, paper);
    }
    weir_tree_arena_free(arena);
    return code;
}

/* Prints the built-in experiments, then the folders of scenarios for `weir run` if find_experiments() finds any.
 * @return false, with err, after an error */
static bool list_experiments(struct weir_err *err)
{
    char dir[DIR_MAX];
    if (list_builtin(err) != 0)
        return false;
    if (!find_experiments(dir))
        return true;
    (void)printf("\nin %s:\n", dir);
    return weir_list(stdout, "experiments", dir, err);
}

/* Prints the error of `weir list` without an argument: "list: what? protocols, features or experiments". @return the
 * exit status */
static int refuse_nothing(void)
{
    char lists[WHAT] = "";
    struct weir_err err;
    const char *sort, *between = "";
    for (size_t i = 0; (sort = weir_list_sort(i)) != NULL; i++) {
        size_t used = strlen(lists);
        (void)snprintf(lists + used, sizeof(lists) - used, "%s%s", between, sort);
        between = weir_list_sort(i + 1) != NULL && weir_list_sort(i + 2) == NULL ? " or " : ", ";
    }
    (void)weir_fail(&err, WEIR_E_SYNTAX, NULL, "for example weir list protocols", "list: what? %s", lists);
    return refused(&err);
}

int weir_cli_list(int argc, char **argv)
{
    struct weir_err err;
    if (argc > 1 && weir_cli_asks_help(argv[1]))
        return weir_cli_show_usage("list");
    if (argc > 2)
        return refuse_extra("list", argv[2]);
    if (argc < 2)
        return refuse_nothing();
    if (strcmp(argv[1], "metrics") == 0) {
        weir_metrics_list(stdout);
        return weir_cli_finish(WEIR_EXIT_DONE);
    }
    if (!(strcmp(argv[1], "experiments") == 0 ? list_experiments(&err) : weir_list(stdout, argv[1], NULL, &err)))
        return refused(&err);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

/* Prints a page in Markdown, made of the tables: `weir help --markdown [WHAT]`. @return the exit status */
static int help_markdown(const char *what)
{
    struct weir_err err;
    if (what == NULL || strcmp(what, "scenario") == 0)
        weir_help_scenario(stdout, WEIR_HELP_MARKDOWN);
    else if (strcmp(what, "metrics") == 0)
        weir_metrics_markdown(stdout);
    else {
        (void)weir_fail(&err, WEIR_E_UNKNOWN, NULL, "known: scenario, metrics", "--markdown %.80s: no such page", what);
        return refused(&err);
    }
    return weir_cli_finish(WEIR_EXIT_DONE);
}

/* Prints a file for installation: `weir help --man NAME`, `weir help --completion SHELL`. @return the exit status */
static int help_page(const char *option, const char *argument)
{
    struct weir_err err;
    int code;
    if (argument == NULL)
        code = weir_fail(&err, WEIR_E_SYNTAX, NULL, "weir help --help shows how to call it", "%s: of what?", option);
    else
        code = strcmp(option, "--man") == 0 ? weir_cli_manual(argument, &err) : weir_cli_completion(argument, &err);
    return code != 0 ? refused(&err) : weir_cli_finish(WEIR_EXIT_DONE);
}

static void suggest_metric(void *near, const struct weir_metric *row)
{
    weir_suggest_add(near, row->name);
}

/* Prints the help of a name that is not a command. @return false, with err, if the name is unknown */
static bool help_name(const char *name, struct weir_err *err)
{
    const struct weir_usage *usage;
    struct weir_suggest near;
    weir_suggest_init(&near, name);
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++)
        weir_suggest_add(&near, usage->name);
    weir_metrics_each(suggest_metric, &near);
    return weir_help_name(stdout, name, &near, err) || weir_metric_help(stdout, name);
}

int weir_cli_help(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    bool markdown = name != NULL && strcmp(name, "--markdown") == 0;
    bool page = name != NULL && (markdown || strcmp(name, "--man") == 0 || strcmp(name, "--completion") == 0);
    struct weir_err err;
    if (argc > 2 + page)
        return refuse_extra("help", argv[2 + page]);
    if (page) /* argv[argc] is NULL */
        return markdown ? help_markdown(argv[2]) : help_page(name, argv[2]);
    if (name == NULL)
        weir_cli_overview(false);
    else if (weir_cli_asks_help(name))
        (void)weir_cli_usage("help");
    else if (strcmp(name, "scenario") == 0)
        weir_help_scenario(stdout, WEIR_HELP_TERMINAL);
    else if (!weir_cli_usage(name) && !help_name(name, &err))
        return refused(&err);
    return weir_cli_finish(WEIR_EXIT_DONE);
}
