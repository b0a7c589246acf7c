/* src/commands/soft/note.c - see note.h. */
#define _GNU_SOURCE
#include "soft/note.h"
#include "core/assert.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif
enum { LINE = 128, NUMBERS = 5 };

/* Writes the path of this network namespace's note: by its number, which no other has until the machine restarts. */
static bool find_path(struct weir_soft_note *note)
{
    uint64_t cookie = 0;
    socklen_t size = sizeof(cookie);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool found = fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) == 0;
    if (fd >= 0)
        (void)close(fd);
    (void)snprintf(note->path, sizeof(note->path), "%s/switch-%" PRIu64, WEIR_SOFT_NOTES, cookie);
    return found;
}

static int fail_note(const char *path, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_RUN, NULL, errno == EACCES ? "this takes root" : NULL, "%s: %s", path,
                     strerror(errno));
}

int weir_soft_note_open(struct weir_soft_note *note, struct weir_err *err)
{
    struct stat found;
    *note = (struct weir_soft_note){ .file = -1 };
    if (!find_path(note) || (mkdir(WEIR_SOFT_NOTES, 0700) != 0 && errno != EEXIST))
        return fail_note(WEIR_SOFT_NOTES, err);
    note->file = open(note->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (note->file < 0 || flock(note->file, LOCK_EX | LOCK_NB) != 0 || fstat(note->file, &found) != 0)
        return fail_note(note->path, err);
    if (found.st_size == 0)
        return 0;
    (void)close(note->file);
    note->file = -1; /* it is not ours, and stays */
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch clean removes it",
                     "something is left here of a switch that did not end well");
}

int weir_soft_note_device(const struct weir_soft_note *note, const struct weir_raw_device *d, struct weir_err *err)
{
    char line[LINE];
    WEIR_ASSERT(note->file >= 0);
    int length =
        snprintf(line, sizeof(line), "%s %u %d %d %d %d\n", d->name, d->index, d->is_up, d->lro, d->gro, d->rx_vlan);
    return write(note->file, line, (size_t)length) == length ? 0 : fail_note(note->path, err);
}

void weir_soft_note_close(struct weir_soft_note *note)
{
    if (note->file < 0)
        return;
    (void)unlink(note->path);
    (void)close(note->file);
    (void)rmdir(WEIR_SOFT_NOTES); /* stays if another switch has a note */
    note->file = -1;
}

/* Reads a line of a note. @return false = it is none */
static bool read_device(const char *line, struct weir_raw_device *device)
{
    size_t length = strcspn(line, " ");
    unsigned long number[NUMBERS];
    const char *at = line + length;
    char *rest;
    if (length == 0 || length >= sizeof(device->name))
        return false;
    for (int i = 0; i < NUMBERS; i++, at = rest) {
        number[i] = strtoul(at, &rest, 10);
        if (rest == at)
            return false;
    }
    *device = (struct weir_raw_device){ .index = (uint32_t)number[0],
                                        .is_up = number[1] != 0,
                                        .lro = number[2] != 0,
                                        .gro = number[3] != 0,
                                        .rx_vlan = number[4] != 0 };
    memcpy(device->name, line, length);
    return true;
}

uint32_t weir_soft_note_undo(void)
{
    struct weir_soft_note note;
    struct weir_raw_device device;
    char line[LINE];
    uint32_t count = 0;
    FILE *file = find_path(&note) ? fopen(note.path, "re") : NULL;
    if (file == NULL)
        return 0;
    if (flock(fileno(file), LOCK_EX | LOCK_NB) == 0) {
        while (fgets(line, sizeof(line), file) != NULL) {
            if (!read_device(line, &device))
                continue;
            count += if_nametoindex(device.name) == device.index;
            weir_raw_device_restore(&device);
        }
        (void)unlink(note.path);
        (void)rmdir(WEIR_SOFT_NOTES);
    }
    (void)fclose(file);
    return count;
}
