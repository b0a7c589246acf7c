/* src/commands/testbed/ece.h - when a host of a testbed receives its first ACK with ECE. A packet socket of the host's
 * namespace, with a filter, keeps such segments with the time at which the kernel received them. */
#ifndef WEIR_TESTBED_ECE_H
#define WEIR_TESTBED_ECE_H
#include "testbed/testbed.h"

/* Opens the socket on device eth0 of a host. @return a descriptor, or -1 with err */
int weir_ece_open(const struct weir_testbed *tb, uint32_t host, struct weir_err *err);

/* Returns the time since boot at which the first segment came, in ns; 0 = none has come. */
uint64_t weir_ece_first_ns(int fd);
#endif
