/* src/solver/solve/changes.c - reads files of changes, as `weir allocate --changes` takes them. */
#include "core/math.h"
#include "solve/allocator.h"
#include "workload/tokens.h"
#include "workload/jobs.h"
#include <stdlib.h>

static const char *const rows_hint = "rows are add,SRC,DST,WEIGHT or remove,FLOW or weight,FLOW,WEIGHT";

struct form { /* a kind of row */
    const char *name;
    enum weir_change_kind kind;
    uint32_t fields;
};

static const struct form forms[] = {
    { "add", WEIR_CHANGE_ADD, 4 },
    { "remove", WEIR_CHANGE_REMOVE, 2 },
    { "weight", WEIR_CHANGE_WEIGHT, 3 },
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

int weir_changes_open(struct weir_changes *changes, const char *file, struct weir_err *err)
{
    *changes = (struct weir_changes){ .file = file };
    int code = weir_text_read(file, NULL, &changes->text, err);
    if (code == 0)
        changes->csv = weir_csv_of(file, changes->text);
    return code;
}

void weir_changes_free(struct weir_changes *changes)
{
    free(changes->text);
    *changes = (struct weir_changes){ 0 };
}

static int read_number(const struct weir_csv *csv, uint32_t i, const char *what, uint32_t *value, struct weir_err *err)
{
    struct weir_tok tok = weir_csv_tok(csv, i);
    uint64_t number = 0;
    int code = weir_token_u64(&csv->field[i], &tok, what, UINT32_MAX, &number, err);
    *value = (uint32_t)number;
    return code;
}

static int read_weight(const struct weir_csv *csv, uint32_t i, double *weight, struct weir_err *err)
{
    struct weir_tok tok = weir_csv_tok(csv, i);
    uint64_t weight_q20;
    if (weir_text_q20(&csv->field[i], &weight_q20) != WEIR_TEXT_OK || weight_q20 < WEIR_WEIGHT_MIN ||
        weight_q20 > WEIR_WEIGHT_MAX)
        return weir_fail(err, WEIR_E_RANGE, &tok, NULL, "weight = %.*s: must be a number from 0.001 to 1000000",
                         weir_token_shown(&csv->field[i]), csv->field[i].text);
    *weight = (double)weight_q20 / (double)WEIR_WEIGHT_ONE;
    return 0;
}

static int read_fields(const struct weir_csv *csv, const struct form *form, struct weir_change *change,
                       struct weir_err *err)
{
    int code;
    if (form->kind != WEIR_CHANGE_ADD) {
        code = read_number(csv, 1, "flow", &change->flow, err);
    } else {
        code = read_number(csv, 1, "src", &change->src, err);
        if (code == 0)
            code = read_number(csv, 2, "dst", &change->dst, err);
    }
    if (code == 0 && form->kind != WEIR_CHANGE_REMOVE)
        code = read_weight(csv, form->fields - 1, &change->weight, err);
    return code;
}

int weir_changes_next(struct weir_changes *changes, struct weir_change *change, struct weir_tok *where,
                      struct weir_err *err)
{
    struct weir_csv *csv = &changes->csv;
    uint32_t form = 0;
    if (!weir_csv_next(csv))
        return -1;
    *where = weir_csv_tok(csv, 0);
    while (form < FORMS && !weir_token_is(&csv->field[0], forms[form].name))
        form++;
    if (form == FORMS)
        return weir_fail(err, WEIR_E_SYNTAX, where, rows_hint, "%.*s: no kind of change",
                         weir_token_shown(&csv->field[0]), csv->field[0].text);
    if (csv->field_count != forms[form].fields)
        return weir_fail(err, WEIR_E_SYNTAX, where, rows_hint, "%s has %u fields, and there are %u", forms[form].name,
                         forms[form].fields, csv->field_count);
    *change = (struct weir_change){ .kind = forms[form].kind };
    return read_fields(csv, &forms[form], change, err);
}
