/* src/transport/wire/crc32c.h - both ways to compute the checksum, for the test that compares them. */
#ifndef WEIR_WIRE_CRC32C_H
#define WEIR_WIRE_CRC32C_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tests whether this processor has an instruction for it. */
bool weir_crc32c_has_hardware(void);
/* Computes weir_crc32c() with the processor's instruction; only if it has one. */
uint32_t weir_crc32c_hardware(uint32_t crc, const void *data, size_t size);
/* Computes weir_crc32c() on any processor. */
uint32_t weir_crc32c_table(uint32_t crc, const void *data, size_t size);
#endif
