/* src/transport/endpoint/head.h - the 16 bytes of the endpoint in front of every message. */
#ifndef WEIR_ENDPOINT_HEAD_H
#define WEIR_ENDPOINT_HEAD_H
#include "endpoint/endpoint.h"

/* Writes EP_HEAD_BYTES. kind: EP_SEND, EP_CALL or EP_REPLY; result: of a reply, an errno value; rpc: 0 for one-way
 * messages */
void ep_head_write(unsigned char *out, uint8_t kind, uint32_t result, uint64_t rpc);

/* Reads EP_HEAD_BYTES. @return false = no head of this version */
bool ep_head_read(const unsigned char *in, uint8_t *kind, uint32_t *result, uint64_t *rpc);
#endif
