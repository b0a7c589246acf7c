/* src/transport/endpoint/siphash.h - SipHash-2-4, a keyed hash whose values cannot be guessed without the key. */
#ifndef WEIR_ENDPOINT_SIPHASH_H
#define WEIR_ENDPOINT_SIPHASH_H
#include <stddef.h>
#include <stdint.h>

/* Returns the SipHash-2-4 of size bytes of data under this key. */
uint64_t ep_siphash(const uint64_t key[2], const void *data, size_t size);
#endif
