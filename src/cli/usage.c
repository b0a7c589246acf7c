/* src/cli/usage.c - how to call weir, and what this one was built with. */
#include "cli/cli.h"
#include "cli/version.h"
#include "registry.h"
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

struct usage {
    const char *name, *call, *does, *more;
};

static const struct usage usages[] = {
    { "run", "weir run FILE [options]", "simulate a scenario and say what came of it",
      "options:\n"
      "  --set key=value       instead of what FILE says: --set protocol.g=0.08 --set 'traffic[0].load=80%'\n"
      "  --seed N              the same as --set run.seed=N\n"
      "  --threads N           1 to 64; results do not depend on it\n"
      "  --json                one JSON object instead of the table\n"
      "  --check               verify invariants while running; exit 1 if one does not hold\n"
      "  --messages FILE.csv   one line per delivered message; the file appears when it is whole\n"
      "  --sample TIME         between queue samples: --sample 10us\n"
      "  --progress WHEN       auto (when stderr is a terminal), never, always\n"
      "\n"
      "results go to stdout, all else to stderr. exit status:\n"
      "  0 done, an unstable run included    1 an invariant failed, or the run stalled\n"
      "  2 the command line, the scenario or a named file is at fault\n"
      "  3 memory or I/O failed              130, 143 ended by SIGINT, SIGTERM: what was done is printed\n" },
    { "list", "weir list WHAT", "protocols, features, workloads, topologies or experiments",
      "WHAT is protocols, features, workloads, topologies or experiments.\n" },
    { "help", "weir help [NAME]", "explain a key, a section, a protocol, a workload, a command",
      "weir help             all commands\n"
      "weir help NAME        a section (fabric), a key (traffic.load), a protocol (dctcp), a workload, a command\n"
      "weir help scenario    everything that a scenario file may say\n"
      "weir help --markdown  the same as a page\n" },
};
#define USAGE_COUNT (sizeof(usages) / sizeof(usages[0]))

bool weir_cli_usage(const char *name)
{
    for (size_t i = 0; i < USAGE_COUNT; i++) {
        if (strcmp(usages[i].name, name) == 0) {
            (void)printf("%s - %s\n\n%s", usages[i].call, usages[i].does, usages[i].more);
            return true;
        }
    }
    return false;
}

void weir_cli_overview(bool to_stderr)
{
    FILE *out = to_stderr ? stderr : stdout;
    (void)fprintf(out, "weir - datacenter congestion control, simulated packet by packet\n\n");
    for (size_t i = 0; i < USAGE_COUNT; i++)
        (void)fprintf(out, "  %-26s%s\n", usages[i].call, usages[i].does);
    (void)fprintf(out, "  %-26s%s\n", "weir --version", "version, compiler, what is in");
    (void)fprintf(out, "\nweir COMMAND --help says more; weir help scenario explains scenario files.\n");
}

int weir_cli_version(void)
{
    (void)printf("weir %s\n", WEIR_VERSION);
    (void)printf("compiler   %s\n", COMPILER);
    (void)printf("libyaml    %s\n", yaml_get_version_string());
    (void)printf("worlds     simulator\n");
    (void)printf("protocols ");
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++)
        (void)printf(" %s", p->name);
    (void)printf("\nfeatures  ");
    for (const struct weir_feature *f = weir_features; f->name != NULL; f++)
        (void)printf(" %s", f->name);
    (void)printf("\n");
    return weir_cli_finish(WEIR_EXIT_DONE);
}
