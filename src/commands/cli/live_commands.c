/* src/commands/cli/live_commands.c - the commands for real networks: calls live/ and kernel/, and prints usages. */
#include "cli/cli.h"
#include "kernel/tools.h"
#include "live/tools.h"

static int command(const char *name, int (*tool)(int argc, char **argv, bool *help), int argc, char **argv)
{
    bool help = false;
    int status = tool(argc, argv, &help);
    if (!help)
        return status;
    return weir_cli_show_usage(name);
}

int weir_cli_serve(int argc, char **argv)
{
    return command("serve", weir_live_serve, argc, argv);
}

int weir_cli_ping(int argc, char **argv)
{
    return command("ping", weir_live_ping, argc, argv);
}

int weir_cli_load(int argc, char **argv)
{
    return command("load", weir_live_load, argc, argv);
}

int weir_cli_delay(int argc, char **argv)
{
    return command("delay", weir_live_delay, argc, argv);
}

int weir_cli_tcp(int argc, char **argv)
{
    return command("tcp", weir_kernel_tcp, argc, argv);
}
