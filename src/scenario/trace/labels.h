/* src/scenario/trace/labels.h - labels of the nodes of one rank: a hash table, which is emptied in no time. */
#ifndef WEIR_TRACE_LABELS_H
#define WEIR_TRACE_LABELS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_label {
    const char *text; /* length bytes, not NUL-terminated and not owned */
    uint32_t length, node, line;
    uint32_t round; /* table's round in which the label was added; entries of other rounds are empty */
};

struct trace_labels {
    struct trace_label *slot; /* room entries, a power of 2 or 0; owned */
    uint32_t room, count, round;
};

/* Returns a label; NULL = the table has none of this text. */
const struct trace_label *weir_trace_label_find(const struct trace_labels *labels, const char *text, uint32_t length);
/* Adds a label, which must not be in the table. @return false = no memory */
bool weir_trace_label_add(struct trace_labels *labels, const struct trace_label *label);
/* Removes all labels. */
void weir_trace_labels_clear(struct trace_labels *labels);
void weir_trace_labels_free(struct trace_labels *labels);
#endif
