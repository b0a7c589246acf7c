/* src/results/output/findings.h - what a reader must know before believing the numbers of a run: what they lack, why,
 * and what to do about it. One list, made in one place, for the table, the JSON, the result file and the page. A number
 * is never withheld for a finding: it is shown, together with the finding. */
#ifndef WEIR_OUTPUT_FINDINGS_H
#define WEIR_OUTPUT_FINDINGS_H
#include "measure/result.h"
#include "solve/offered.h"
#include "text/json.h"

enum weir_finding_kind { /* in the order in which they are shown; numbers: see the table in findings.c */
                         WEIR_FINDING_STALLED,    /* messages wait, and nothing moves */
                         WEIR_FINDING_CUT,        /* the run was interrupted */
                         WEIR_FINDING_UNMEASURED, /* .. before its measured part */
                         WEIR_FINDING_OVERLOADED, /* links are offered more than their rate; known before the run */
                         WEIR_FINDING_SHORT,  /* less arrived than was offered, and what waits is no older than usual */
                         WEIR_FINDING_BEHIND, /* less arrived than was offered, and what waits is older */
                         WEIR_FINDING_GROWING,    /* as much arrived, but what waits grew, and is late */
                         WEIR_FINDING_LOSSLESS,   /* data of lossless classes was dropped */
                         WEIR_FINDING_BEYOND,     /* messages that this run could not carry even alone: endless flows */
                         WEIR_FINDING_UNFINISHED, /* others that had not ended */
                         WEIR_FINDING_JOBS,       /* jobs that had not */
                         WEIR_FINDING_EMPTY,      /* no message counts in slowdown */
                         WEIR_FINDING_LEFT_OUT,   /* messages of items that do not count */
                         WEIR_FINDING_NO_DATA,    /* packets were dropped, and no data is among them */
                         WEIR_FINDING_SAMPLES,    /* memory ran out for samples */
                         WEIR_FINDING_KINDS
};

enum weir_verdict {                          /* did the network keep up with what it was offered? */
                    WEIR_VERDICT_STABLE,     /* it did, and every message ended */
                    WEIR_VERDICT_SO_FAR,     /* it did; some messages had not ended */
                    WEIR_VERDICT_SHORT,      /* the run is too short to know */
                    WEIR_VERDICT_UNSTABLE,   /* it did not */
                    WEIR_VERDICT_STALLED,    /* nothing moved any more */
                    WEIR_VERDICT_CUT,        /* the run was interrupted */
                    WEIR_VERDICT_UNMEASURED, /* .. before its measured part */
};

#define WEIR_FINDING_NUMBERS 6u
#define WEIR_FINDINGS_MAX (WEIR_FINDING_KINDS + WEIR_OFFERED_CLASSES_MAX) /* overloaded links may have several */
#define WEIR_FINDING_TEXT 512u                                            /* bytes of a sentence */

struct weir_finding {
    enum weir_finding_kind kind;
    uint64_t number[WEIR_FINDING_NUMBERS];
    char link[WEIR_LINK_NAME]; /* its name; "" = the finding is about the whole network */
    struct weir_cause cause;   /* LOSSLESS: the one with the most packets; lent by the result */
};

struct weir_findings {
    struct weir_finding row[WEIR_FINDINGS_MAX];
    uint32_t count;
    enum weir_verdict verdict;
};

/* The plan of a run, as far as findings depend on it. */
struct weir_findings_run {
    uint64_t planned_ps; /* warm-up and measured part; 0 = until the last message */
    uint64_t stall_ps;   /* run.stall */
    uint8_t lossless;    /* bit c: packets of class c are not to be dropped */
    bool endless;        /* messages start until its end: it never ends with the last of them */
};

/* Adds what is known before the run: links that are offered more than their rate. findings: zeroed, or to be added
 * to. */
void weir_findings_offered(struct weir_findings *findings, const struct weir_offered *offered,
                           const struct weir_topology *topo);

/* Prints what was found so far as warnings, one a line. */
void weir_findings_warn(const struct weir_findings *findings, FILE *out);

/* Adds what the result shows, sorts all, and sets the verdict; call it after weir_findings_offered(). */
void weir_findings_result(struct weir_findings *findings, const struct weir_findings_run *run,
                          const struct weir_result *result);

/* Writes the sentence of a finding, without a full stop. */
void weir_finding_text(const struct weir_finding *finding, char out[WEIR_FINDING_TEXT]);

/* Returns the key of a kind in JSON and in result files: "overloaded". */
const char *weir_finding_key(enum weir_finding_kind kind);

/* Returns the key of a verdict ("stable", "so_far", ..), or its text in the table behind "stable" ("yes", "so far",
 * ..). */
const char *weir_verdict_key(enum weir_verdict verdict);
const char *weir_verdict_text(enum weir_verdict verdict);

/* Puts the list `findings`: objects of kind, place, numbers, text. */
void weir_findings_json(struct weir_json *json, const struct weir_findings *findings);

/* Puts the numbers of one finding as members of the open object. */
void weir_finding_json_numbers(struct weir_json *json, const struct weir_finding *finding);
#endif
