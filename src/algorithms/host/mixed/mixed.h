/* src/algorithms/host/mixed/mixed.h - function table of a host with several laws side by side. */
#ifndef WEIR_HOST_MIXED_MIXED_H
#define WEIR_HOST_MIXED_MIXED_H
#include "host/common/machine.h"

extern const struct host_machine host_mixed_machine;
#endif
