/* src/report/over_time.h - what figures over time share: over_time.c and side_by_side.c. */
#ifndef WEIR_REPORT_OVER_TIME_H
#define WEIR_REPORT_OVER_TIME_H
#include "report/curves.h"
#include "report/sections.h"

struct weir_quantity { /* a series and how it is drawn; our words */
    const char *series, *title, *axis;
    enum weir_unit unit;
    enum weir_fold fold;
    bool may_be_idle; /* not worth a figure if it never happened */
    const char *what; /* for the caption */
};

/* The part of time that becomes one point, so that the runs of a figure share their values of x. */
int64_t weir_time_part_ps(const struct weir_extent *extent, size_t curves);

struct weir_plot weir_time_plot(const struct weir_quantity *q, const char *title);
void weir_time_caption(struct weir_plot *plot, const char *what, enum weir_fold fold, int64_t width_ps,
                       const struct weir_group *group);

/* Whether nothing in it is above 0. */
bool weir_time_idle(const struct weir_plot *plot);
#endif
