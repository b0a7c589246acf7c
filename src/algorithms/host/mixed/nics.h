/* src/algorithms/host/mixed/nics.h - function table of a host with several NICs. */
#ifndef WEIR_HOST_MIXED_NICS_H
#define WEIR_HOST_MIXED_NICS_H
#include "host/common/machine.h"

extern const struct host_machine host_nics_machine;
#endif
