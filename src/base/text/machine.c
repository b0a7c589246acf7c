/* src/base/text/machine.c - see machine.h. */
#include "text/machine.h"
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

void weir_machine(char out[WEIR_MACHINE_TEXT])
{
    struct utsname name;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (uname(&name) != 0)
        (void)snprintf(out, WEIR_MACHINE_TEXT, "unknown");
    else
        (void)snprintf(out, WEIR_MACHINE_TEXT, "%.60s %.80s %.60s, %ld processor%s", name.sysname, name.release,
                       name.machine, processors, processors == 1 ? "" : "s");
}
