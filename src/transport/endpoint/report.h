/* src/transport/endpoint/report.h - hands events over to the application. */
#ifndef WEIR_ENDPOINT_REPORT_H
#define WEIR_ENDPOINT_REPORT_H
#include "endpoint/endpoint.h"

/* Removes up to max events from the queue and writes them to `events`. @return the number of events written */
int ep_report(struct weir_ep *ep, struct weir_event *events, int max);
#endif
