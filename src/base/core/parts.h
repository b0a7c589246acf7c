/* src/base/core/parts.h - which things hang together (union-find): part[i] leads from thing i to the lowest one of its
 * part, which leads to itself. The caller begins with part[i] = i. */
#ifndef WEIR_CORE_PARTS_H
#define WEIR_CORE_PARTS_H
#include <stdint.h>

/* Returns the lowest thing of the part of i. Shortens the way to it. */
static inline uint32_t weir_part_of(uint32_t *part, uint32_t i)
{
    while (part[i] != i)
        i = part[i] = part[part[i]];
    return i;
}

/* Joins the parts of a and b. */
static inline void weir_part_join(uint32_t *part, uint32_t a, uint32_t b)
{
    uint32_t of_a = weir_part_of(part, a), of_b = weir_part_of(part, b);
    part[of_a > of_b ? of_a : of_b] = of_a > of_b ? of_b : of_a;
}
#endif
