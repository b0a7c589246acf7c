/* src/base/text/progress.h - one line on stderr that says how far something is: drawn over on a terminal, elsewhere a
 * line now and then. */
#ifndef WEIR_TEXT_PROGRESS_H
#define WEIR_TEXT_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_PROGRESS_WIDTH 100u
#define WEIR_PROGRESS_LOG_NS                                                                                           \
    UINT64_C(30000000000) /* between lines where nobody may be looking: a log, a batch system */
#define WEIR_PROGRESS_ASKED_NS UINT64_C(1000000000)

enum weir_progress_when { WEIR_PROGRESS_AUTO, WEIR_PROGRESS_NEVER, WEIR_PROGRESS_ALWAYS };

struct weir_progress_line {
    FILE *out;                           /* NULL = say nothing */
    bool redraw;                         /* a terminal: the line is drawn over; else every line stays */
    uint64_t start_ns, every_ns, due_ns; /* real time; due: of the next line, UINT64_MAX = there is none */
    uint32_t drawn_width;                /* characters on the terminal now */
};

/**
 * Begins a line. On a terminal it is due every terminal_ns, elsewhere every WEIR_PROGRESS_LOG_NS; with ALWAYS at once,
 * and then every WEIR_PROGRESS_ASKED_NS.
 */
void weir_progress_begin(struct weir_progress_line *line, FILE *out, enum weir_progress_when when, uint64_t terminal_ns,
                         uint64_t now_ns);

/* Asks whether a line is to be drawn now. @return true once for each time that it is due */
bool weir_progress_due(struct weir_progress_line *line, uint64_t now_ns);

/* Writes a line: over the last one on a terminal. text: may be cut to the terminal's width */
void weir_progress_draw(struct weir_progress_line *line, char *text);

/* Takes the line off the terminal, so that something else can be printed. The next one is drawn when it is due. */
void weir_progress_clear(struct weir_progress_line *line);

/* Takes the line off the terminal; nothing is drawn any more. */
void weir_progress_end(struct weir_progress_line *line);
#endif
