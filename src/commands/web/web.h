/* src/commands/web/web.h - for this room: the state of a simulation that a page drives. */
#ifndef WEIR_WEB_WEB_H
#define WEIR_WEB_WEB_H
#include "output/report.h"
#include "setup/setup.h"

struct weir_web_sink;

struct weir_web { /* large, so on the heap */
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_findings findings; /* those of before the run, until it is over */
    struct weir_result result;     /* is_over: of the run */
    struct weir_report report;     /* is_over: points into this struct */
    const struct weir_web_sink *sink;
    double *value; /* of a frame; owned */
    uint64_t every_ps;
    uint32_t frames;
    bool is_over; /* weir_web_run() or weir_web_packets() was called */
};
#endif
