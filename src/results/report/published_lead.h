/* src/results/report/published_lead.h - title and first sentences of a page of `weir reproduce`. */
#ifndef WEIR_REPORT_PUBLISHED_LEAD_H
#define WEIR_REPORT_PUBLISHED_LEAD_H
#include "report/sections.h"

/* Writes the title of the page: "FNCC (arXiv 2405.07608), figures 11 and 13a to 13d: published against measured, scale
 * 0.2". "" = the text names no paper, or nothing was published. json: what `weir reproduce --json` prints. Returns 0,
 * or a code with err */
int weir_published_title(char *out, size_t size, const struct weir_runs *runs, const char *json, struct weir_err *err);

/* Writes how many printed numbers of the figure of the group are met, which are not, and at what scale; nothing if
 * page->published has none of it. Returns 0, or a code with err. */
int weir_published_lead(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
#endif
