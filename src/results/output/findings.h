/* src/results/output/findings.h - the findings of a run: problems of its numbers, each with the cause and a remedy. The
 * table, the JSON, the result file and the page show the same list. A number is never withheld because of a finding:
 * both are shown. The kinds are described in doc/results.md. */
#ifndef WEIR_OUTPUT_FINDINGS_H
#define WEIR_OUTPUT_FINDINGS_H
#include "measure/result.h"
#include "solve/offered.h"
#include "text/json.h"

/* Kinds of findings, in the order in which they are shown. kinds[] in findings_text.c names the numbers of each
 * kind. */
enum weir_finding_kind {
    WEIR_FINDING_STALLED,    /* messages wait, and nothing new was delivered for run.stall */
    WEIR_FINDING_CUT,        /* the run was interrupted in its measured part */
    WEIR_FINDING_UNMEASURED, /* the run ended in its warm-up */
    WEIR_FINDING_OVERLOADED, /* links are offered more than their rate; known before the run */
    WEIR_FINDING_SHORT,      /* unstable, but only because the run is too short */
    WEIR_FINDING_BEHIND,     /* unstable: less arrived than was offered */
    WEIR_FINDING_GROWING,    /* unstable: enough arrived, but the unfinished bytes grew */
    WEIR_FINDING_QUEUE,      /* unstable: endless flows fill a queue [run.growing] */
    WEIR_FINDING_LOSSLESS,   /* data of lossless classes was dropped */
    WEIR_FINDING_BEYOND,     /* messages whose least time is over ten times the run: endless flows */
    WEIR_FINDING_UNFINISHED, /* other messages that had not ended */
    WEIR_FINDING_HOST_LOST,  /* messages that were lost when their sender or receiver restarted */
    WEIR_FINDING_JOBS,       /* jobs that had not ended */
    WEIR_FINDING_EMPTY,      /* no message counts in slowdown */
    WEIR_FINDING_LEFT_OUT,   /* some messages that ended do not count in slowdown */
    WEIR_FINDING_NO_DATA,    /* ACKs or credit were dropped, but no data */
    WEIR_FINDING_NEEDLESS,   /* data was sent again that had arrived, and whose ACK was not lost */
    WEIR_FINDING_SATURATED,  /* a limit of a switch feature was reached: its counter has a sentence, and is above 0 */
    WEIR_FINDING_SAMPLES,    /* no memory was left for samples of slowdown */
    WEIR_FINDING_KINDS
};

enum weir_verdict {                          /* whether the network kept up with the offered load [run.verdict] */
                    WEIR_VERDICT_STABLE,     /* the network kept up; every message ended or was lost with its host */
                    WEIR_VERDICT_SO_FAR,     /* the network kept up; some messages had not ended */
                    WEIR_VERDICT_SHORT,      /* not known: the run is too short */
                    WEIR_VERDICT_UNSTABLE,   /* the network did not keep up */
                    WEIR_VERDICT_GROWS,      /* the network did not keep up: endless flows fill a queue */
                    WEIR_VERDICT_STALLED,    /* messages wait, and nothing new was delivered any more */
                    WEIR_VERDICT_CUT,        /* not known: the run was interrupted in its measured part */
                    WEIR_VERDICT_UNMEASURED, /* not known: the run ended in its warm-up, or no message started */
};

#define WEIR_FINDING_NUMBERS 6u
#define WEIR_FINDINGS_MAX (WEIR_FINDING_KINDS + WEIR_OFFERED_CLASSES_MAX) /* OVERLOADED may occur several times */
#define WEIR_FINDING_TEXT 512u /* bytes of a sentence, with the 0 byte at its end */

struct weir_finding {
    enum weir_finding_kind kind;
    uint64_t number[WEIR_FINDING_NUMBERS];
    char link[WEIR_LINK_NAME];              /* name of the link that the finding is about; "" = the whole network */
    struct weir_cause cause;                /* LOSSLESS: the cause that dropped most of this data; lent by the result */
    const struct weir_feature_count *count; /* SATURATED: the counter, or the largest of several; lent by the result */
    const char *key; /* NEEDLESS: the key that decides when a packet counts as lost, or NULL; lent by the caller */
};

struct weir_findings {
    struct weir_finding row[WEIR_FINDINGS_MAX];
    uint32_t count;
    enum weir_verdict verdict;
};

/* The properties of a run that its findings depend on. */
struct weir_findings_run {
    uint64_t planned_ps; /* length of the run, with warm-up; 0 = it ends with the last message (measure: all) */
    uint64_t stall_ps;   /* run.stall */
    uint8_t lossless;    /* bit c: class c is lossless */
    const struct weir_topology *topo; /* names links */
    bool endless;                     /* messages start until the end of the run, so that some are always unfinished */
    bool resends_known;               /* after a loss the protocol sends again what has arrived: NewReno */
    uint32_t ack_every;               /* packets that an ACK acknowledges: host.ack_every */
    /* Keys that decide when a packet counts as lost: a time; without a timeout the order of arrival. NULL = no key */
    const char *timer_key, *order_key;
};

/* Adds a finding for each class of overloaded links in `offered`. May be called before the run. findings: either
 * zeroed, or with earlier findings, which stay. topo: names the links. */
void weir_findings_offered(struct weir_findings *findings, const struct weir_offered *offered,
                           const struct weir_topology *topo);

/* Prints each finding in `findings` as a warning, one per line. */
void weir_findings_warn(const struct weir_findings *findings, FILE *out);

/* Adds the findings of the result, sorts all findings by kind, and sets findings->verdict. The verdict depends on the
 * findings of overloaded links, so call weir_findings_offered() first. */
void weir_findings_result(struct weir_findings *findings, const struct weir_findings_run *run,
                          const struct weir_result *result);

/* Rounds a time up to 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten, as a person would write it. Returns at least 10,
 * and at most 10^18, also for longer times. */
uint64_t weir_finding_rounded_up(uint64_t ps);

/* Writes the sentence of a finding to out, without a full stop. A sentence that does not fit is cut. */
void weir_finding_text(const struct weir_finding *finding, char out[WEIR_FINDING_TEXT]);

/* Returns the key of a kind of findings in JSON and in result files, such as "overloaded". */
const char *weir_finding_key(enum weir_finding_kind kind);

/* Returns the key of a verdict in JSON, such as "so_far". */
const char *weir_verdict_key(enum weir_verdict verdict);
/* Returns the text of a verdict on the line "stable" of the table, such as "yes" or "so far". */
const char *weir_verdict_text(enum weir_verdict verdict);

/* Puts the list `findings` into the open JSON object. Each finding is an object with the members kind, place (the name
 * of a link, or null), the numbers of its kind, and text. */
void weir_findings_json(struct weir_json *json, const struct weir_findings *findings);

/* Puts the numbers of one finding as members of the open JSON object. A number that does not apply is null. */
void weir_finding_json_numbers(struct weir_json *json, const struct weir_finding *finding);
#endif
