/* src/results/output/host_address.h - the IPv4 address of a simulated host in captures and in files for HPCC's
 * tools. */
#ifndef WEIR_OUTPUT_HOST_ADDRESS_H
#define WEIR_OUTPUT_HOST_ADDRESS_H
#include <stdint.h>

/* Returns the IPv4 address of a host, in the processor's byte order. Host N has 11.(N / 256).(N % 256).1, as in HPCC's
 * public simulator. HPCC's scripts compute the host as address / 256 % 65536, so they need host numbers below 65536.
 * From host 65536 on the first byte is 12 or more. */
static inline uint32_t weir_host_address(uint32_t host)
{
    return 0x0b000001u + (host / 256) * 0x10000u + host % 256 * 0x100u;
}
#endif
