/* src/algorithms/host/halves.c - chooses the half of the end host that a configuration needs: receiver-driven, or
 * sender-driven with or without acknowledgements; or a shell around several laws or NICs. No other file of the room
 * names both halves: common/ calls the chosen one through struct host_machine. */
#include "core/cc.h"
#include "host/common/machine.h"
#include "host/credit/credit.h"
#include "host/mixed/mixed.h"
#include "host/mixed/nics.h"
#include "host/stream/stream.h"

const struct host_machine *host_machine_of(const struct weir_host_config *cfg)
{
    if (cfg->nics != NULL)
        return &host_nics_machine;
    if (cfg->law != NULL)
        return &host_mixed_machine;
    if (cfg->credit != NULL)
        return &host_credit_machine;
    return (cfg->cc->needs & WEIR_NEED_NO_ACKS) != 0 ? &host_single_machine : &host_stream_machine;
}
