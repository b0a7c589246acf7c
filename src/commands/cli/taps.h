/* src/commands/cli/taps.h - reads arguments of the command line that select the links where packets are captured. */
#ifndef WEIR_CLI_TAPS_H
#define WEIR_CLI_TAPS_H
#include "model/model.h"

/**
 * Marks the links where packets are captured. "host 3" selects all packets that a node sends and receives. "leaf 0 >
 * spine 1" selects all packets that the first sends to the second, by all parallel cables.
 * @param tap    array with an element per link, initially zeros; bits of enum weir_tap are set for selected links
 * @param text   count texts as given: one such place each, or several with commas between
 * @param count  0 = select all hosts
 * @return 0, or WEIR_E_UNKNOWN with err: there is no such node or cable
 */
int weir_taps_set(uint8_t *tap, const struct weir_topology *topo, const char *const *text, uint32_t count,
                  struct weir_err *err);
#endif
