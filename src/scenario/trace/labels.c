/* src/scenario/trace/labels.c - see labels.h. Open addressing with linear probing, at most half full. */
#include "trace/labels.h"
#include "core/assert.h"
#include <stdlib.h>
#include <string.h>

enum { ROOM_LEAST = 64 };

static uint64_t hash_of(const char *text, uint32_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash ^ hash >> 32;
}

/* Returns the slot of a text, or the empty slot where it belongs. */
static struct trace_label *slot_of(const struct trace_labels *labels, const char *text, uint32_t length)
{
    uint64_t mask = labels->room - 1, at = hash_of(text, length) & mask;
    WEIR_ASSERT(2 * labels->count <= labels->room);
    for (;; at = (at + 1) & mask) {
        struct trace_label *slot = &labels->slot[at];
        if (slot->round != labels->round || slot->text == NULL)
            return slot;
        if (slot->length == length && memcmp(slot->text, text, length) == 0)
            return slot;
    }
}

const struct trace_label *weir_trace_label_find(const struct trace_labels *labels, const char *text, uint32_t length)
{
    const struct trace_label *slot = labels->room > 0 ? slot_of(labels, text, length) : NULL;
    return slot != NULL && slot->round == labels->round && slot->text != NULL ? slot : NULL;
}

static bool grow(struct trace_labels *labels)
{
    struct trace_labels larger = { .room = labels->room == 0 ? ROOM_LEAST : 2 * labels->room, .count = labels->count };
    larger.slot = calloc(larger.room, sizeof(*larger.slot));
    if (larger.slot == NULL)
        return false;
    for (uint32_t i = 0; i < labels->room; i++) {
        const struct trace_label *old = &labels->slot[i];
        if (old->round != labels->round || old->text == NULL)
            continue;
        struct trace_label *slot = slot_of(&larger, old->text, old->length);
        *slot = *old;
        slot->round = larger.round;
    }
    free(labels->slot);
    *labels = larger;
    return true;
}

bool weir_trace_label_add(struct trace_labels *labels, const struct trace_label *label)
{
    struct trace_label *slot;
    WEIR_ASSERT(label->text != NULL);
    if (2 * (labels->count + 1) > labels->room && !grow(labels))
        return false;
    slot = slot_of(labels, label->text, label->length);
    WEIR_ASSERT(slot->round != labels->round || slot->text == NULL);
    *slot = *label;
    slot->round = labels->round;
    labels->count++;
    return true;
}

void weir_trace_labels_clear(struct trace_labels *labels)
{
    labels->count = 0;
    labels->round++; /* a file has far fewer than 2^32 ranks */
}

void weir_trace_labels_free(struct trace_labels *labels)
{
    free(labels->slot);
    *labels = (struct trace_labels){ 0 };
}
