/* src/transport/ep/report.h - the one file that hands events over to the application. */
#ifndef WEIR_EP_REPORT_H
#define WEIR_EP_REPORT_H
#include "ep/ep.h"

/* Takes up to max events from the queue and hands them over. @return how many */
int ep_report(struct weir_ep *ep, struct weir_event *events, int max);
#endif
