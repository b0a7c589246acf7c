/* src/transport/wire/delay_option.h - the TCP option that carries Soze's delays: 8 bytes on every segment. A switch
 * raises `delay` to its own queueing delay, and the receiver sends the last one back as `echo`. For BPF, too. */
#ifndef WEIR_WIRE_DELAY_OPTION_H
#define WEIR_WIRE_DELAY_OPTION_H
#include <stdint.h>

#define WEIR_TCP_OPTION_KIND 253u /* the first of two kinds for experiments, RFC 4727 */
#define WEIR_TCP_OPTION_BYTES 8u
#define WEIR_TCP_OPTION_MAGIC 0x577au /* the identifier of this experiment, RFC 6994 */

/* The unit of delay and echo. 65535 of them are 16.8 ms: Soze's longest target at 50 Mb/s with packets of 1500 B. */
#define WEIR_TCP_DELAY_UNIT_NS 256u
#define WEIR_TCP_DELAY_MAX 65535u /* means: this long or longer */

struct weir_tcp_option { /* 16-bit fields in network byte order */
    uint8_t kind, bytes;
    uint16_t magic;
    uint16_t delay; /* longest queueing delay so far on this segment's way */
    uint16_t echo;  /* delay of the last segment that came the other way */
};
_Static_assert(sizeof(struct weir_tcp_option) == WEIR_TCP_OPTION_BYTES, "as on the wire");
#endif
