/* src/commands/cli/model_list.c - see model_list.h. */
#include "cli/model_list.h"
#include "param/number.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define EXPONENT_MAX 300u

enum { NUMBER = 64 };

/* Parses a number like "1.9e-5": a decimal, and after an e its power of ten. @return NaN if the text is not such a
 * number */
static double real_of(const char *text)
{
    struct weir_number n, power;
    double value;
    bool negative;
    if (weir_number_read(&n, text) != WEIR_NUMBER_OK)
        return (double)NAN;
    value = (double)n.whole + (double)n.fraction / (double)weir_power_of_ten(n.digits);
    if (n.unit[0] == '\0')
        return value;
    negative = n.unit[1] == '-';
    if ((n.unit[0] != 'e' && n.unit[0] != 'E') ||
        weir_number_read(&power, n.unit + 1 + (negative || n.unit[1] == '+')) != WEIR_NUMBER_OK || power.digits > 0 ||
        power.unit[0] != '\0' || power.whole > EXPONENT_MAX)
        return (double)NAN;
    return value * pow(10, negative ? -(double)power.whole : (double)power.whole);
}

int weir_model_list(double *list, uint32_t *count, const char *text, const struct weir_model_list *kind,
                    struct weir_err *err)
{
    *count = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        char number[NUMBER];
        double value;
        (void)snprintf(number, sizeof(number), "%.*s", (int)(length < NUMBER ? length : NUMBER - 1), text);
        value = length < NUMBER ? real_of(number) : (double)NAN;
        if (!(value >= kind->min && value <= kind->max))
            return weir_fail(err, isnan(value) ? WEIR_E_SYNTAX : WEIR_E_RANGE, NULL, kind->hint, "%s %s: %s %g to %g",
                             kind->name, number, isnan(value) ? "not a number; must be" : "must be", kind->min,
                             kind->max);
        if (*count == kind->most)
            return weir_fail(err, WEIR_E_RANGE, NULL, kind->hint, "%s: more than %u", kind->name, kind->most);
        list[(*count)++] = value;
        text += length;
        if (*text == '\0')
            return 0;
        text++;
    }
}
