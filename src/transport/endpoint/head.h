/* src/transport/endpoint/head.h - the endpoint's header: the first 16 bytes of every message. */
#ifndef WEIR_ENDPOINT_HEAD_H
#define WEIR_ENDPOINT_HEAD_H
#include "endpoint/endpoint.h"

/* Writes a header of EP_HEAD_BYTES to out. kind: EP_SEND, EP_CALL, EP_REPLY or EP_RELEASED. result: of a reply 0 or a
 * positive errno value, else 0. rpc: number of the call or EP_RELEASED; 0 for EP_SEND. */
void ep_head_write(unsigned char *out, uint8_t kind, uint32_t result, uint64_t rpc);

/* Reads a header of EP_HEAD_BYTES. @return false if kind, result, rpc or a zero byte has a value that this version does
 * not allow */
bool ep_head_read(const unsigned char *in, uint8_t *kind, uint32_t *result, uint64_t *rpc);
#endif
