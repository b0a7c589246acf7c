/* src/algorithms/host/halves.c - picks the half of the end host that a configuration asks for. No other file of the
 * room names both: common/ calls whichever it is through its table. */
#include "core/cc.h"
#include "host/common/machine.h"
#include "host/credit/credit.h"
#include "host/stream/stream.h"

const struct host_machine *host_machine_of(const struct weir_host_config *cfg)
{
    if (cfg->credit != NULL)
        return &host_credit_machine;
    return (cfg->cc->needs & WEIR_NEED_NO_ACKS) != 0 ? &host_single_machine : &host_stream_machine;
}
