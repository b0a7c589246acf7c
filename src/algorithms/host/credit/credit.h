/* src/algorithms/host/credit/credit.h - the function table of a receiver-driven host. */
#ifndef WEIR_HOST_CREDIT_CREDIT_H
#define WEIR_HOST_CREDIT_CREDIT_H
#include "host/common/machine.h"

extern const struct host_machine host_credit_machine;
#endif
