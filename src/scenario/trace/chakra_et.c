/* src/scenario/trace/chakra_et.c - reads the binary form of Chakra traces: protobuf messages, each behind its length.
 * The first is the metadata, each further one a node. Only fields that matter here are looked at. Source: Chakra's
 * et_def.proto, and protobuf's description of its wire format. */
#include "core/assert.h"
#include "trace/chakra.h"
#include "workload/tokens.h"
#include <inttypes.h>
#include <string.h>

struct wire { /* a walk over the fields of a message */
    const unsigned char *at, *end;
};

struct field { /* a field: of kind BYTES it is text, else value */
    uint64_t number, kind, value;
    struct weir_field text;
};
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

enum { META_VERSION = 1, META_ATTR = 2 };
enum { NODE_ID = 1, NODE_TYPE = 3, NODE_CTRL = 4, NODE_DATA = 5, NODE_DURATION = 7, NODE_INPUTS = 8, NODE_ATTR = 10 };
enum {
    ATTR_NAME = 1,
    ATTR_FIRST = 3,
    ATTR_DOUBLE = 3,
    ATTR_FLOAT = 5,
    ATTR_SINT32 = 15,
    ATTR_SINT64 = 17,
    ATTR_LAST = 32,
    INPUT_VALUES = 1
};

static bool get_varint(struct wire *w, uint64_t *value)
{
    *value = 0;
    for (uint32_t shift = 0; w->at < w->end && shift < 64; shift += 7) {
        uint64_t byte = *w->at++;
        *value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Gets a field. @return false = the message is damaged */
static bool get_field(struct wire *w, struct field *field)
{
    uint64_t key = 0, length = 0;
    if (!get_varint(w, &key))
        return false;
    *field = (struct field){ .number = key >> 3, .kind = key & 7 };
    if (field->kind == VARINT)
        return get_varint(w, &field->value);
    if (field->kind == BYTES && !get_varint(w, &length))
        return false;
    if (field->kind == FIXED64 || field->kind == FIXED32)
        length = field->kind == FIXED64 ? 8 : 4;
    else if (field->kind != BYTES)
        return false;
    if (length > (uint64_t)(w->end - w->at) || length > UINT32_MAX)
        return false;
    field->text = (struct weir_field){ .text = (const char *)w->at, .length = (uint32_t)length };
    for (uint32_t i = 0; field->kind != BYTES && i < length; i++)
        field->value |= (uint64_t)w->at[i] << 8 * i;
    w->at += length;
    return true;
}

static struct wire inside(const struct field *field)
{
    const unsigned char *at = (const unsigned char *)field->text.text;
    return (struct wire){ at, at + field->text.length };
}

/* Gets an attribute: its name, and its value, which is number 0 without one. @return false = it is damaged */
static bool get_attribute(const struct field *attribute, struct weir_field *name, struct field *value)
{
    struct wire w = inside(attribute);
    struct field field;
    *name = (struct weir_field){ .text = "" };
    *value = (struct field){ .number = 0 };
    while (w.at < w.end) {
        if (!get_field(&w, &field))
            return false;
        if (field.number == ATTR_NAME && field.kind == BYTES)
            *name = field.text;
        else if (field.number >= ATTR_FIRST && field.number <= ATTR_LAST)
            *value = field;
    }
    if (value->number == ATTR_SINT32 || value->number == ATTR_SINT64)
        value->value = value->value >> 1 ^ (0 - (value->value & 1)); /* zigzag */
    return true;
}

static bool take_attribute(const struct field *attribute, struct chakra_node *node)
{
    struct weir_field name;
    struct field value;
    enum chakra_value which;
    if (!get_attribute(attribute, &name, &value))
        return false;
    if (weir_token_is(&name, "pg_name") && value.kind == BYTES && value.number != 0)
        node->group = value.text;
    which = weir_chakra_value_of(&name);
    if (which == CHAKRA_VALUES || value.kind == BYTES || value.number == 0)
        return true;
    if (value.number == ATTR_DOUBLE || value.number == ATTR_FLOAT) /* all that is read here are whole numbers */
        return true;
    node->value[which] = value.value;
    node->has[which] = true;
    return true;
}

/* Takes dependencies: one number, or packed many. *code: 0, or a code with err. @return false = it is damaged */
static bool take_waits(struct chakra *c, const struct field *field, int *code)
{
    struct wire w;
    uint64_t id;
    if (field->kind == VARINT) {
        *code = weir_chakra_wait(c, field->value, field->number == NODE_CTRL);
        return true;
    }
    w = inside(field);
    while (*code == 0 && w.at < w.end) {
        if (!get_varint(&w, &id))
            return false;
        *code = weir_chakra_wait(c, id, field->number == NODE_CTRL);
    }
    return true;
}

static bool take_inputs(const struct field *field, struct chakra_node *node)
{
    struct wire w = inside(field);
    struct field inner;
    while (w.at < w.end) {
        if (!get_field(&w, &inner))
            return false;
        if (inner.number == INPUT_VALUES && inner.kind == BYTES)
            node->inputs = inner.text;
    }
    return true;
}

/* Takes one field of a node. @return false = it is damaged */
static bool take_node_field(struct chakra *c, const struct field *field, struct chakra_node *node, int *code)
{
    enum chakra_value which = field->number == NODE_ID         ? CHAKRA_ID
                              : field->number == NODE_TYPE     ? CHAKRA_TYPE
                              : field->number == NODE_DURATION ? CHAKRA_DURATION
                                                               : CHAKRA_VALUES;
    if (which != CHAKRA_VALUES && field->kind == VARINT) {
        node->value[which] = field->value;
        node->has[which] = true;
        return true;
    }
    if ((field->number == NODE_CTRL || field->number == NODE_DATA) && (field->kind == BYTES || field->kind == VARINT))
        return take_waits(c, field, code);
    if (field->number == NODE_ATTR && field->kind == BYTES)
        return take_attribute(field, node);
    if (field->number == NODE_INPUTS && field->kind == BYTES)
        return take_inputs(field, node);
    return true;
}

static int read_node(struct chakra *c, struct wire message, uint64_t number)
{
    struct chakra_node node = { .has = { [CHAKRA_ID] = true } }; /* absent: 0 */
    struct field field;
    int code = 0;
    while (code == 0 && message.at < message.end)
        if (!get_field(&message, &field) || !take_node_field(c, &field, &node, &code))
            return weir_chakra_fail(c, WEIR_E_SYNTAX, "was it copied to its end, and is it a trace?",
                                    "message %" PRIu64 " of the file is damaged", number);
    return code != 0 ? code : weir_chakra_node(c, &node);
}

/* Takes the version from the metadata: their own field, or an attribute called schema. @return false = damaged */
static bool read_metadata(struct wire message, struct weir_field *version)
{
    struct weir_field name;
    struct field field, value;
    while (message.at < message.end) {
        if (!get_field(&message, &field))
            return false;
        if (field.number == META_VERSION && field.kind == BYTES)
            *version = field.text;
        if (field.number != META_ATTR || field.kind != BYTES)
            continue;
        if (!get_attribute(&field, &name, &value))
            return false;
        if (weir_token_is(&name, "schema") && value.kind == BYTES && version->length == 0)
            *version = value.text;
    }
    return true;
}

/* Gets the next message of a file. @return false = the file ends within it */
static bool get_message(struct wire *w, struct wire *message)
{
    uint64_t length;
    if (!get_varint(w, &length) || length > (uint64_t)(w->end - w->at))
        return false;
    *message = (struct wire){ w->at, w->at + length };
    w->at += length;
    return true;
}

bool weir_trace_is_chakra(const char *bytes, size_t length)
{
    struct wire w = { (const unsigned char *)bytes, (const unsigned char *)bytes + length }, message;
    struct weir_field version = { .text = "" };
    return length > 0 && get_message(&w, &message) && read_metadata(message, &version) &&
           (message.at == message.end || *message.at == (META_VERSION << 3 | BYTES) ||
            *message.at == (META_ATTR << 3 | BYTES));
}

int weir_chakra_read_et(struct chakra *c, struct trace_reader *r)
{
    struct wire w = { (const unsigned char *)r->bytes, (const unsigned char *)r->bytes + r->length }, message;
    struct weir_field version = { .text = "" };
    int code = 0;
    WEIR_ASSERT(r->length > 0);
    for (uint64_t number = 0; code == 0 && w.at < w.end; number++) {
        if (!get_message(&w, &message))
            return weir_chakra_fail(c, WEIR_E_SYNTAX, "was it copied to its end?",
                                    "the file ends within message %" PRIu64 ", behind %" PRIu64 " nodes", number,
                                    number > 0 ? number - 1 : 0);
        if (number == 0 && read_metadata(message, &version))
            weir_chakra_version(c, &version);
        else
            code = read_node(c, message, number);
    }
    return code;
}
