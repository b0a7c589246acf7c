/* src/transport/endpoint/trouble.h - what the network and the kernel report about datagrams of the endpoint. */
#ifndef WEIR_ENDPOINT_TROUBLE_H
#define WEIR_ENDPOINT_TROUBLE_H
#include "endpoint/endpoint.h"

/* Reads all reports of the driver, and ends what can never succeed. */
void ep_trouble_run(struct weir_ep *ep);
#endif
