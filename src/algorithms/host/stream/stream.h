/* src/algorithms/host/stream/stream.h - function tables of the sender-driven host, with acknowledgements and
 * without. */
#ifndef WEIR_HOST_STREAM_STREAM_H
#define WEIR_HOST_STREAM_STREAM_H
#include "host/common/machine.h"

extern const struct host_machine host_stream_machine, host_single_machine;
#endif
