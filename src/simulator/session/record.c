/* src/simulator/session/record.c - see record.h. */
#include "session/record.h"
#include "core/assert.h"
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_BYTES_MAX = 1 + 5 + 10 * WEIR_SESSION_MEMBERS };

/* ---- a call as bytes ---- */

/* Writes a number, seven bits a byte, the lowest first. @return the end */
static unsigned char *put_number(unsigned char *to, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *to++ = (unsigned char)(value | 128);
    *to++ = (unsigned char)value;
    return to;
}

static uint64_t take_number(const unsigned char **from)
{
    uint64_t value = 0;
    for (uint32_t shift = 0;; shift += 7) {
        unsigned char byte = *(*from)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
        WEIR_ASSERT(shift < 63);
    }
}

/* Returns the address of a member. */
static void *field_of(const struct weir_session_args *args, uint32_t id)
{
    return (char *)(uintptr_t)args + weir_session_members[id].offset;
}

/* Writes a member. @return the end */
static unsigned char *put_member(unsigned char *to, const struct weir_session_args *args, uint32_t id)
{
    enum weir_session_type type = weir_session_members[id].type;
    WEIR_ASSERT(type <= WEIR_SESSION_DECIMAL || type == WEIR_SESSION_TEXT); /* no recorded call has others */
    if (type == WEIR_SESSION_TEXT) {
        const char *text = *(const char *const *)field_of(args, id);
        memcpy(to, text, strlen(text) + 1);
        return to + strlen(text) + 1;
    }
    return put_number(to, type == WEIR_SESSION_U32 ? *(const uint32_t *)field_of(args, id)
                                                   : *(const uint64_t *)field_of(args, id));
}

/* Reads a member; a text stays where it is. @return the end */
static const unsigned char *take_member(const unsigned char *from, struct weir_session_args *args, uint32_t id)
{
    enum weir_session_type type = weir_session_members[id].type;
    if (type == WEIR_SESSION_TEXT) {
        *(const char **)field_of(args, id) = (const char *)from;
        return from + strlen((const char *)from) + 1;
    }
    if (type == WEIR_SESSION_U32)
        *(uint32_t *)field_of(args, id) = (uint32_t)take_number(&from);
    else
        *(uint64_t *)field_of(args, id) = take_number(&from);
    return from;
}

static unsigned char *put_call(unsigned char *to, enum weir_session_call call, const struct weir_session_args *args)
{
    const struct weir_session_row *row = &weir_session_rows[call];
    WEIR_ASSERT((row->needs & ~args->given) == 0 && (args->given & ~(row->needs | row->takes)) == 0);
    *to++ = (unsigned char)call;
    to = put_number(to, args->given);
    for (uint32_t i = 0; i < WEIR_SESSION_MEMBERS; i++)
        if ((args->given >> i & 1) != 0)
            to = put_member(to, args, i);
    return to;
}

static const unsigned char *take_call(const unsigned char *from, const struct weir_session_row **row,
                                      struct weir_session_args *args)
{
    *row = &weir_session_rows[*from++];
    *args = (struct weir_session_args){ .given = (uint32_t)take_number(&from) };
    for (uint32_t i = 0; i < WEIR_SESSION_MEMBERS; i++)
        if ((args->given >> i & 1) != 0)
            from = take_member(from, args, i);
    return from;
}

/* ---- the record ---- */

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static bool copy_set(struct session_record *record, const char *const *set)
{
    size_t count = 0;
    while (set != NULL && set[count] != NULL)
        count++;
    record->set = calloc(count + 1, sizeof(*record->set));
    for (size_t i = 0; record->set != NULL && i < count; i++)
        if ((record->set[i] = copy_text(set[i], strlen(set[i]))) == NULL)
            return false;
    return record->set != NULL;
}

struct session_record *session_record_new(const char *text, size_t length, const struct weir_sim_opts *opts)
{
    struct session_record *record = calloc(1, sizeof(*record));
    const char *name = opts->name != NULL ? opts->name : "scenario";
    if (record == NULL)
        return NULL;
    record->scenario = copy_text(text, length);
    record->name = copy_text(name, strlen(name));
    if (record->scenario != NULL && record->name != NULL && copy_set(record, opts->set))
        return record;
    session_record_free(record);
    return NULL;
}

void session_record_free(struct session_record *record)
{
    if (record == NULL)
        return;
    for (size_t i = 0; record->set != NULL && record->set[i] != NULL; i++)
        free(record->set[i]);
    free(record->set);
    free(record->name);
    free(record->scenario);
    free(record->bytes);
    free(record);
}

/* Makes room for one more call. @return false = no memory */
static bool record_room(struct session_record *record, const struct weir_session_args *args)
{
    size_t room = record->room == 0 ? 1024 : record->room,
           most = NUMBERS_BYTES_MAX + (args->part != NULL ? strlen(args->part) + 1 : 0);
    unsigned char *larger;
    while (room - record->length < most)
        room *= 2;
    if (room == record->room)
        return true;
    larger = realloc(record->bytes, room);
    if (larger == NULL)
        return false;
    record->bytes = larger;
    record->room = room;
    return true;
}

static void append(struct session_record *record, enum weir_session_call call, const struct weir_session_args *args)
{
    if (record->no_memory)
        return;
    record->no_memory = !record_room(record, args);
    if (!record->no_memory)
        record->length = (size_t)(put_call(record->bytes + record->length, call, args) - record->bytes);
    WEIR_ASSERT(record->length <= record->room);
}

/* Appends the calls of advance that were counted. */
static void append_advance(struct session_record *record)
{
    struct weir_session_args args = { .until_ps = record->until_ps, .times = record->times };
    if (record->times == 0)
        return;
    args.given |= record->until_ps != WEIR_SIM_NEVER ? WEIR_SESSION_BIT(UNTIL) : 0;
    args.given |= record->times > 1 ? WEIR_SESSION_BIT(TIMES) : 0;
    record->times = 0;
    append(record, WEIR_SESSION_ADVANCE, &args);
}

void session_record_call(struct session_record *record, enum weir_session_call call,
                         const struct weir_session_args *args)
{
    if (record == NULL)
        return;
    append_advance(record);
    append(record, call, args);
}

void session_record_advance(struct session_record *record, uint64_t until_ps)
{
    if (record == NULL)
        return;
    if (record->times > 0 && record->until_ps != until_ps)
        append_advance(record);
    record->until_ps = until_ps;
    record->times++;
}

void session_record_write(struct session_record *record, FILE *out)
{
    append_advance(record);
    for (size_t at = 0; at < record->length;) {
        const struct weir_session_row *row;
        struct weir_session_args args;
        at = (size_t)(take_call(record->bytes + at, &row, &args) - record->bytes);
        weir_session_line_write(out, row, &args);
    }
}
