/* src/commands/cli/usage.h - the usage of each command: one table for `--help`, manual pages and shell completion. */
#ifndef WEIR_CLI_USAGE_H
#define WEIR_CLI_USAGE_H
#include <stddef.h>

/* The usage of one command. */
struct weir_usage {
    const char *name; /* "run" */
    const char *call; /* "weir run FILE [options]" */
    const char *does; /* one line, without a full stop */
    const char *more; /* further lines, to be read by weir_usage_next() */
};

/* Returns a row of the table of usages; NULL = index is beyond the last. */
const struct weir_usage *weir_usage_at(size_t index);
/* Returns the usage of the command called name; NULL = there is no such command. */
const struct weir_usage *weir_usage_find(const char *name);

/* Kinds of lines of weir_usage.more. The first characters of a line decide its kind. */
enum weir_usage_kind {
    WEIR_USAGE_BLANK,
    WEIR_USAGE_TEXT,    /* begins in the first column: prose, or a title like "options:" */
    WEIR_USAGE_OPTION,  /* begins with two blanks and a dash: `head` is the option, `text` its description */
    WEIR_USAGE_GOES_ON, /* begins with 20 blanks or more: continues the description of an option */
    WEIR_USAGE_AS_IS,   /* begins with other blanks: an example, or a small table */
};

/* One line of weir_usage.more. */
struct weir_usage_line {
    enum weir_usage_kind kind;
    const char *head, *text; /* point into `more`, not NUL-terminated; head is NULL unless kind is OPTION */
    int head_length, text_length;
};

/* Reads the first line of `more`. @return the beginning of the next line; NULL = `more` is empty, and *line is not
 * set */
const char *weir_usage_next(const char *more, struct weir_usage_line *line);

/* One option in the head of a line; "--driver D, --device NAME" has two. */
struct weir_usage_option {
    const char *name, *value;      /* value: name of its argument, as "FILE.csv" */
    int name_length, value_length; /* value_length 0 = it takes no argument */
};

/* Reads the first option at head, which has `length` bytes left. @return bytes read, with the ", " before the next
 * option; 0 if length is 0 */
int weir_usage_option(const char *head, int length, struct weir_usage_option *option);
#endif
