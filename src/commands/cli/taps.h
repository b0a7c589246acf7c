/* src/commands/cli/taps.h - the links at which packets are captured, from arguments of the command line. */
#ifndef WEIR_CLI_TAPS_H
#define WEIR_CLI_TAPS_H
#include "model/model.h"

/**
 * Marks the links at which packets are captured.
 * @param tap   of each link, zeros: enum weir_tap is set where a text names it
 * @param text  count of them, as given: "host 3" (all that a node sends and receives), "leaf 0 > spine 1" (all that one
 *              sends to the other, by all parallel cables), or several with commas between; none = all hosts
 * @return 0, or WEIR_E_UNKNOWN with err: there is no such node or cable
 */
int weir_taps_set(uint8_t *tap, const struct weir_topology *topo, const char *const *text, uint32_t count,
                  struct weir_err *err);
#endif
