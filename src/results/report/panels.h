/* src/results/report/panels.h - many runs in a part of the page, divided into those that are drawn together. */
#ifndef WEIR_REPORT_PANELS_H
#define WEIR_REPORT_PANELS_H
#include "report/sections.h"

#define WEIR_PANELS_MAX 6u

struct weir_panels {
    struct weir_run *run; /* those of the group, panel by panel; shallow copies; NULL = the group is one panel */
    char (*title)[160];
    size_t *end; /* of each panel, in run */
    size_t count;
};

/**
 * Divides more sets than one figure draws into panels: sets whose labels are the same without the protocol are one, so
 * that a figure compares protocols. The group stays whole if that gives a panel with too few or too many sets, or too
 * many panels.
 * @return 0, or WEIR_E_MEMORY with err; weir_panels_free() it then, too
 */
int weir_panels_make(struct weir_panels *panels, const struct weir_group *group, struct weir_err *err);
void weir_panels_free(struct weir_panels *panels);

/* Writes a label without a protocol's name and its separator: "dctcp, 40%" gives "40%", "x-sird-2" gives "x-2". size >=
 * 1 */
void weir_panel_title(char *out, size_t size, const char *label, const char *protocol);
#endif
