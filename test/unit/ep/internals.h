/* test/unit/ep/internals.h - what tests reach of ep/ beyond weir/weir.h, from this folder and from others. */
#ifndef WEIR_TEST_EP_INTERNALS_H
#define WEIR_TEST_EP_INTERNALS_H
#include "ep/head.h"
#include "ep/memory.h"
#include "ep/msg.h"
#include "ep/open.h"
#include "ep/options.h"
#include "ep/peer.h"
#include "ep/siphash.h"
#include "ep/timer.h"
#endif
