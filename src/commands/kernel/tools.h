/* src/commands/kernel/tools.h - the commands for laws and switches in the kernel. Each sets *help to true instead
 * of doing anything if --help was asked for; the caller then prints its usage. */
#ifndef WEIR_KERNEL_TOOLS_H
#define WEIR_KERNEL_TOOLS_H
#include <stdbool.h>

/* `weir tcp`: loads, shows and unloads control laws in the kernel's TCP. @return enum weir_exit */
int weir_kernel_tcp(int argc, char **argv, bool *help);
#endif
