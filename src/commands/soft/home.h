/* src/commands/soft/home.h - what a switch of a process changes on this machine, and how it is undone: devices, and
 * hosts that are namespaces of ours. It is noted in a file below WEIR_SOFT_NOTES before it is changed. The file is
 * locked as long as the process lives, so that what is left by a killed one is known from what is in use. */
#ifndef WEIR_SOFT_HOME_H
#define WEIR_SOFT_HOME_H
#include "raw/raw.h"
#include "soft/hosts.h"

#define WEIR_SOFT_NOTES "/run/weir"
#define WEIR_SOFT_MADE_MAX 250u /* most hosts that are made */

struct weir_soft_home {
    int note;               /* the file; -1 = there is none */
    char path[64];          /* of it */
    uint32_t made;          /* hosts that are namespaces of ours */
    struct weir_raw **port; /* one per host; owned */
    uint32_t ports;         /* that are open */
    uint32_t mtu_bytes;     /* of all ports */
};

/**
 * Opens the ports of all hosts. Where sites have no device, it makes the hosts first: namespaces weir-h0 and so on
 * with a device eth0, and fills in the devices and addresses of the sites. After an error all is as before.
 * @return 0, or a code with err
 */
int weir_soft_home_open(struct weir_soft_home *home, struct weir_soft_site *site, uint32_t hosts, struct weir_err *err);
/* Undoes all of it. */
void weir_soft_home_close(struct weir_soft_home *home);

/* Undoes what processes that were killed have left: here, and hosts that they have made. *removed: gets how many
 * devices and hosts there were. @return 0, or a code with err */
int weir_soft_home_clean(uint32_t *removed, struct weir_err *err);
#endif
