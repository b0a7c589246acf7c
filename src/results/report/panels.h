/* src/results/report/panels.h - divides the many runs of a part of the page into panels. The runs of a panel are drawn
 * in the same figures. */
#ifndef WEIR_REPORT_PANELS_H
#define WEIR_REPORT_PANELS_H
#include "report/sections.h"

#define WEIR_PANELS_MAX 6u

struct weir_panels {
    struct weir_run *run; /* the runs of the group, panel by panel; shallow copies; NULL = the group stays whole */
    char (*title)[160];   /* for each panel */
    size_t *end;          /* for each panel: index in run[] behind its last run */
    size_t count;         /* panels; 0 = the group stays whole */
};

/**
 * Divides a group of more than WEIR_PLOT_CURVES_MAX sets into panels. Sets whose labels are equal without the protocol
 * form a panel, so that its figures compare protocols. The group stays whole, without panels, if one of these is true:
 * - a label without the protocol is empty;
 * - a panel would have fewer than 2 sets, or more than a figure draws;
 * - there would be more than WEIR_PANELS_MAX panels.
 *
 * @return 0, or WEIR_E_MEMORY with err. The caller frees panels by weir_panels_free() in either case.
 */
int weir_panels_make(struct weir_panels *panels, const struct weir_group *group, struct weir_err *err);
void weir_panels_free(struct weir_panels *panels);

/* Writes a label without the name of the protocol and the separators next to it: "dctcp, 40%" gives "40%", "x-sird-2"
 * gives "x-2". A label without this name is copied unchanged. A text that does not fit is cut. size: 1 or more */
void weir_panel_title(char *out, size_t size, const char *label, const char *protocol);
#endif
