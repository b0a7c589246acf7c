/* src/output/host_address.h - the address of a simulated host in files that have addresses. */
#ifndef WEIR_OUTPUT_HOST_ADDRESS_H
#define WEIR_OUTPUT_HOST_ADDRESS_H
#include <stdint.h>

/* Of host N 11.(N / 256).(N % 256).1, as HPCC's public simulator numbers them: scripts find N again as address / 256 % 65536. From host
 * 65536 on the first byte counts further. In the processor's order. */
static inline uint32_t weir_host_address(uint32_t host)
{
    return 0x0b000001u + (host / 256) * 0x10000u + host % 256 * 0x100u;
}
#endif
