/* src/commands/cli/usage.h - how to call each command: one table for `--help`, the manual pages and the completion of
 * shells. */
#ifndef WEIR_CLI_USAGE_H
#define WEIR_CLI_USAGE_H
#include <stddef.h>

struct weir_usage {
    const char *name; /* "run" */
    const char *call; /* "weir run FILE [options]" */
    const char *does; /* one line, without a full stop */
    const char *more; /* lines, read by weir_usage_next() */
};

const struct weir_usage *weir_usage_at(size_t index);       /* NULL = no more */
const struct weir_usage *weir_usage_find(const char *name); /* NULL = no such command */

/* Kinds of lines of `more`, by how they begin. */
enum weir_usage_kind {
    WEIR_USAGE_BLANK,
    WEIR_USAGE_TEXT,    /* in the first column: prose, or a title like "options:" */
    WEIR_USAGE_OPTION,  /* two blanks and a dash: the option in `head`, what it does in `text` */
    WEIR_USAGE_GOES_ON, /* further in than a text of an option begins: more of it */
    WEIR_USAGE_AS_IS,   /* any other blank: an example, a small table */
};

struct weir_usage_line {
    enum weir_usage_kind kind;
    const char *head, *text; /* within `more`; head only of an option */
    int head_length, text_length;
};

/* Reads the line at `more`. @return the next one's begin, NULL at the end, where *line is not set */
const char *weir_usage_next(const char *more, struct weir_usage_line *line);

/* One option of a head: "--driver D, --device NAME" has two. */
struct weir_usage_option {
    const char *name, *value;      /* value: what it takes, as "FILE.csv" */
    int name_length, value_length; /* value_length 0 = it takes nothing */
};

/* Reads the option at `head`, of which `length` bytes are left. @return bytes read, 0 at the end */
int weir_usage_option(const char *head, int length, struct weir_usage_option *option);
#endif
