/* src/transport/wire/crc32c.h - CRC-32C, and its two implementations for the test that compares them. */
#ifndef WEIR_WIRE_CRC32C_H
#define WEIR_WIRE_CRC32C_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Continues a CRC-32C (Castagnoli, reflected, RFC 3720 appendix B.4) over size more bytes of data, and returns it. crc:
 * the result for the bytes before them; 0 if there are none */
uint32_t weir_crc32c(uint32_t crc, const void *data, size_t size);

/* Tests whether this processor has an instruction for CRC-32C that weir_crc32c_hardware() can use. */
bool weir_crc32c_has_hardware(void);
/* Returns the same as weir_crc32c(), by the processor's instruction. May be called only if weir_crc32c_has_hardware()
 * returns true. */
uint32_t weir_crc32c_hardware(uint32_t crc, const void *data, size_t size);
/* Returns the same as weir_crc32c(), by tables; works on every processor. */
uint32_t weir_crc32c_table(uint32_t crc, const void *data, size_t size);
#endif
