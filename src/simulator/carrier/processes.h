/* src/simulator/carrier/processes.h - a carrier of forked processes: each pair is joined by a socket. */
#ifndef WEIR_CARRIER_PROCESSES_H
#define WEIR_CARRIER_PROCESSES_H
#include "carrier/carrier.h"

/* Forks ranks - 1 processes, which return from this call, too: (*out)->rank says which one this is. They end by _exit()
 * if the calling process ends first. Output that is still in buffers of stdio is written before. ranks: 2 ..
 * WEIR_SIM_RANKS_MAX. @return 0; or, in the calling process alone, WEIR_E_MEMORY or WEIR_E_RANK with err */
int weir_processes_start(struct weir_carrier **out, uint32_t ranks, struct weir_err *err);
#endif
