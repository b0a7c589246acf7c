/* src/results/report/answer.h - compares the sets of a group: which is best by each number, by how much, and whether
 * that is more than chance (reproduce/comparison.h). */
#ifndef WEIR_REPORT_ANSWER_H
#define WEIR_REPORT_ANSWER_H
#include "report/sections.h"
#include "reproduce/comparison.h"

struct weir_answer {
    struct weir_comparison
        *c; /* its laws are the sets; NULL = not compared: fewer than two sets, too many, or of different traffic */
    struct weir_comparison_run *run; /* of all laws */
    const struct weir_group *group;  /* lent */
    size_t part;                     /* number of the part of the page, for links */
    size_t runs, doubtful, undone;   /* runs of the group; in doubt; not done */
    bool is_secondary; /* the page begins with something else: nothing is said of sets that are not compared */
};

/* Compares the sets of a group. Also counts the runs that are in doubt or not done if the sets are not compared.
 * @return 0, or a code with err. The caller frees the answer by weir_answer_free() in either case */
int weir_answer_make(struct weir_answer *answer, const struct weir_group *group, size_t part, struct weir_err *err);
void weir_answer_free(struct weir_answer *answer);

/* Writes the verdict in a few sentences: the best set by the 99th percentile of slowdown or, of jobs, by completion
 * time, with its interval. Then the sets that do not differ from it, the next one, and how many runs are in doubt.
 * title: of the panel, written first; "" = none */
void weir_answer_sentences(FILE *out, const struct weir_answer *answer, const char *title);

/* Tests whether a number is shown, and says something: one of a size group that is that of all messages does not. */
bool weir_answer_says(const struct weir_comparison *c, uint32_t metric);

/* Draws a dot plot of each number that is compared. */
int weir_answer_figures(struct weir_page *page, const struct weir_answer *answer, bool *open, struct weir_err *err);
/* Writes the note below these figures: what a dot, its line, the remarks and the size groups mean. Returns 0, or
 * WEIR_E_MEMORY with err. */
int weir_answer_note(FILE *out, const struct weir_answer *answer, struct weir_err *err);

/* Returns the remark behind the number of a set in a dot plot: "best", "no difference" and the like; "" = none. Sets
 * *kind to how the dot is drawn. law, metric: index in the comparison */
const char *weir_answer_remark(const struct weir_answer *answer, uint32_t metric, uint32_t law,
                               enum weir_dot_kind *kind);
#endif
