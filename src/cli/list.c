/* src/cli/list.c - `weir list` and `weir help`: what can be named, from the tables that read scenarios. */
#include "cli/cli.h"
#include "cli/version.h"
#include "config/help.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define LISTS "protocols, features, workloads, topologies or experiments"

static int refused(const struct weir_err *err)
{
    weir_cli_error(err);
    return WEIR_EXIT_USAGE;
}

static int refuse_extra(const char *command, const char *word)
{
    struct weir_err err;
    char hint[64];
    (void)snprintf(hint, sizeof(hint), "weir %s --help shows how to call it", command);
    (void)weir_fail(&err, WEIR_E_SYNTAX, NULL, hint, "%s: %s: one argument too many", command, word);
    return refused(&err);
}

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Those of the folder we are in, else those of the sources this was built from; NULL = neither is there. */
static const char *experiments_dir(void)
{
    static const char *const dir[] = { "experiments", WEIR_SOURCE_DIR "/experiments" };
    struct stat there;
    for (int i = 0; i < 2; i++)
        if (stat(dir[i], &there) == 0 && S_ISDIR(there.st_mode))
            return dir[i];
    return NULL;
}

int weir_cli_list(int argc, char **argv)
{
    struct weir_err err;
    if (argc > 1 && asks_help(argv[1])) {
        (void)weir_cli_usage("list");
        return weir_cli_finish(WEIR_EXIT_DONE);
    }
    if (argc > 2)
        return refuse_extra("list", argv[2]);
    if (argc < 2) {
        (void)weir_fail(&err, WEIR_E_SYNTAX, NULL, "for example weir list protocols", "list: what? " LISTS);
        return refused(&err);
    }
    if (!weir_list(stdout, argv[1], experiments_dir(), &err))
        return refused(&err);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

int weir_cli_help(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    struct weir_err err;
    if (argc > 2)
        return refuse_extra("help", argv[2]);
    if (name == NULL)
        weir_cli_overview(false);
    else if (asks_help(name))
        (void)weir_cli_usage("help");
    else if (strcmp(name, "--markdown") == 0 || strcmp(name, "scenario") == 0)
        weir_help_scenario(stdout, name[0] == '-');
    else if (!weir_cli_usage(name) && !weir_help_name(stdout, name, &err))
        return refused(&err);
    return weir_cli_finish(WEIR_EXIT_DONE);
}
