/* src/cli/tap_places.h - the links at which packets are captured, from arguments of the command line. */
#ifndef WEIR_CLI_TAP_PLACES_H
#define WEIR_CLI_TAP_PLACES_H
#include "model/model.h"

/**
 * Marks the links at which packets are captured.
 * @param place  count of them: "host 3" (all that a node sends and receives), "leaf 0 > spine 1" (all that one sends to
 *               the other, by all parallel cables), or several with commas between; none = all hosts
 * @param tap    of each link, zeros: enum weir_tap is set where a place says so
 * @return 0, or WEIR_E_UNKNOWN with err: there is no such place
 */
int weir_tap_places(const struct weir_topology *topo, const char *const *place, uint32_t count, uint8_t *tap,
                    struct weir_err *err);
#endif
