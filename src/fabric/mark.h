/* src/fabric/mark.h - ECN marking as a row of switch features; the rule itself is mark_core.h. */
#ifndef WEIR_FABRIC_MARK_H
#define WEIR_FABRIC_MARK_H
#include "core/fabric.h"

extern const struct weir_fabric_ops weir_mark_ops; /* config: struct weir_mark_config */
#endif
