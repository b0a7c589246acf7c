/* src/commands/soft/note.h - how devices were before a switch has changed them, in a file per network namespace below
 * WEIR_SOFT_NOTES. The file is locked as long as the process lives: what a killed one has left is known by that. */
#ifndef WEIR_SOFT_NOTE_H
#define WEIR_SOFT_NOTE_H
#include "raw/device.h"

#define WEIR_SOFT_NOTES "/run/weir"

struct weir_soft_note {
    int file; /* -1 = none */
    char path[64];
};

/* Opens the note of this network namespace, which is empty then. @return 0; WEIR_E_CONFLICT with err: a killed process
 * has left one; WEIR_E_RUN */
int weir_soft_note_open(struct weir_soft_note *note, struct weir_err *err);
/* Notes how a device was found: before it is changed. @return 0, or WEIR_E_RUN with err */
int weir_soft_note_device(const struct weir_soft_note *note, const struct weir_raw_device *device,
                          struct weir_err *err);
/* Removes the note: all is as it was. */
void weir_soft_note_close(struct weir_soft_note *note);

/* Makes devices of this network namespace what they were before a process that was killed. @return how many */
uint32_t weir_soft_note_undo(void);
#endif
