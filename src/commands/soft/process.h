/* src/commands/soft/process.h - the process in which a switch of real frames runs, and how it is asked and ended. A
 * network namespace has one at most. */
#ifndef WEIR_SOFT_PROCESS_H
#define WEIR_SOFT_PROCESS_H
#include "mapping/mapping.h"
#include "raw/raw.h"
#include "setup/setup.h"
#include <stdio.h>

struct weir_soft_host_at {               /* where a host is */
    const char *device;                  /* network device of this machine that leads to it */
    struct weir_mapping_address address; /* version 0 = it is learned */
};

struct weir_soft_plan {
    const struct weir_setup *setup;     /* by weir_setup_fabric() */
    const struct weir_soft_host_at *at; /* one per host; NULL = hosts are namespaces that are made (hosts.h) */
    const char *capture;                /* file for the frames that come and leave; NULL = none */
    enum weir_raw_kind kind;
    uint16_t udp_port; /* of libweir's endpoints; 0 = none */
    bool foreground;   /* the caller becomes the process, until a signal */
};

/* Starts a switch. Without foreground the process goes on in the background once it forwards; what fails before that is
 * the caller's error, and leaves nothing. *process: gets its id; 0 = foreground, and it has ended. @return 0, or a code
 * with err */
int weir_soft_start(const struct weir_soft_plan *plan, int *process, struct weir_err *err);

/* Asks the process for its state. @return 0, or WEIR_E_UNKNOWN with err: none runs here */
int weir_soft_ask(bool json, FILE *out, int *process, struct weir_err *err);

/* Tests whether a process runs here. */
bool weir_soft_runs(void);

/* Removes what a process that was killed has left: namespaces, XDP programs, changes of devices. Ends a running one
 * first. @return how many things there were */
uint32_t weir_soft_clean(void);
#endif
