/* src/algorithms/features/priorities/priorities.h - strict priority classes of ports. */
#ifndef WEIR_FEATURES_PRIORITIES_PRIORITIES_H
#define WEIR_FEATURES_PRIORITIES_PRIORITIES_H
#include <stdint.h>

struct weir_feature;

struct weir_priorities_config { /* keys of section `fabric` */
    uint32_t classes;           /* number of classes; 1 .. WEIR_CLASSES_MAX */
};

extern const struct weir_feature weir_priorities_feature;
#endif
