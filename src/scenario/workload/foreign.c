/* src/scenario/workload/foreign.c - see foreign.h. Called only after a reader has refused a file: what is read is never
 * taken for something else. Sources: the files that come with LogGOPSim, ATLAHS, Chakra, HPCC and DCTCP. */
#include "workload/foreign.h"
#include "workload/tokens.h"
#include <string.h>

enum { SCHEMA = 64 };               /* the schema of a Chakra trace has its name so soon after the key */
enum { PARTS = 1000, WHOLE = 100 }; /* numbers are read in thousandths; 100 percent */

static bool is_chakra(const char *text)
{
    const char *open = text + strspn(text, " \t\r\n"), *schema, *name;
    if (*open != '{' && *open != '[')
        return false;
    schema = strstr(open, "\"schema\"");
    name = schema != NULL ? strstr(schema, "chakra") : NULL;
    return (name != NULL && name - schema < SCHEMA) || strstr(open, "\"COMM_SEND_NODE\"") != NULL ||
           strstr(open, "\"COMM_COLL_NODE\"") != NULL;
}

static enum weir_foreign distribution(const char *text)
{
    struct weir_csv csv = weir_csv_of(NULL, text);
    uint64_t size = 0, share = 0, last_size = 0, last_share = 0;
    uint32_t rows = 0;
    for (bool first = true; weir_csv_next(&csv); first = false) {
        weir_csv_split(&csv);
        if (first && weir_csv_is_header(&csv))
            continue;
        if (csv.field_count != 2 || weir_text_scaled(&csv.field[0], PARTS, &size) != WEIR_TEXT_OK ||
            weir_text_scaled(&csv.field[1], PARTS, &share) != WEIR_TEXT_OK || size < last_size || share < last_share)
            return WEIR_FOREIGN_NONE;
        last_size = size;
        last_share = share;
        rows++;
    }
    if (rows < 2 || (last_share != PARTS && last_share != (uint64_t)PARTS * WHOLE))
        return WEIR_FOREIGN_NONE;
    return WEIR_FOREIGN_SIZES;
}

enum weir_foreign weir_foreign_of(const char *text)
{
    struct weir_tokens tokens = weir_tokens_of(NULL, text);
    struct weir_text_token token;
    if (weir_tokens_next(&tokens, &token) && weir_token_is(&token.field, "num_ranks"))
        return WEIR_FOREIGN_GOAL;
    return is_chakra(text) ? WEIR_FOREIGN_CHAKRA : distribution(text);
}

int weir_foreign_name(int code, const char *file, const char *text, enum weir_foreign known, struct weir_err *err)
{
    static const struct {
        const char *what, *hint;
    } row[] = {
        [WEIR_FOREIGN_GOAL] = { "a GOAL schedule", "traffic of kind goal reads it (doc/traces.md)" },
        [WEIR_FOREIGN_CHAKRA] = { "a Chakra trace", "traffic of kind chakra reads it (doc/traces.md)" },
        [WEIR_FOREIGN_SIZES] = { "a distribution of sizes, and no list of messages",
                                 "kind: poisson has sizes: FILE.csv, or FILE.txt, with rows size,cdf" },
    };
    enum weir_foreign is;
    if (code != WEIR_E_SYNTAX && code != WEIR_E_UNKNOWN && code != WEIR_E_RANGE && code != WEIR_E_CONFLICT)
        return code;
    is = weir_foreign_of(text);
    if (is == WEIR_FOREIGN_NONE || is == known)
        return code;
    return weir_fail(err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = file }, row[is].hint, "this is %s", row[is].what);
}
