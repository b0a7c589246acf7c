/* src/commands/soft/control.h - how a process that is a switch is asked: by a socket with an abstract name, which
 * belongs to the network namespace and ends with the process. Whoever asks sends a file for the answer and a pipe. The
 * answer is complete when a byte has come by the pipe; if the process ends before, the pipe is closed. Only root and
 * the user of the process are answered. */
#ifndef WEIR_SOFT_CONTROL_H
#define WEIR_SOFT_CONTROL_H
#include "core/err.h"
#include <stdbool.h>
#include <stdio.h>

enum weir_soft_verb { WEIR_SOFT_STATUS = 's', WEIR_SOFT_JSON = 'j', WEIR_SOFT_STOP = 'q' };

struct weir_soft_request {
    char verb;  /* enum weir_soft_verb */
    FILE *out;  /* for the answer */
    int finish; /* descriptor */
};

/* Takes the name of the switch of this network namespace. @return a descriptor, readable when there is a request;
 * negative with err: WEIR_E_CONFLICT if a switch has it */
int weir_soft_listen(struct weir_err *err);

/* Takes a request, without waiting. weir_soft_answered() follows. @return false = there is none */
bool weir_soft_take(int listener, struct weir_soft_request *request);
void weir_soft_answered(struct weir_soft_request *request);

/* Tests whether a process here is a switch. */
bool weir_soft_runs(void);

/* Asks the switch of this network namespace, and copies its answer to out. Returns after the end of WEIR_SOFT_STOP.
 * @return 0; WEIR_E_CONFLICT with err: none runs here; WEIR_E_RUN: it gave no answer */
int weir_soft_ask(enum weir_soft_verb verb, FILE *out, struct weir_err *err);
#endif
