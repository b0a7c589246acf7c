/* test/unit/endpoint/internals.h - what tests reach of endpoint/ beyond weir/weir.h, from this folder and from others.
 * */
#ifndef WEIR_TEST_ENDPOINT_INTERNALS_H
#define WEIR_TEST_ENDPOINT_INTERNALS_H
#include "endpoint/agree.h"
#include "endpoint/area.h"
#include "endpoint/arena.h"
#include "endpoint/head.h"
#include "endpoint/memory.h"
#include "endpoint/msg.h"
#include "endpoint/open.h"
#include "endpoint/options.h"
#include "endpoint/path.h"
#include "endpoint/peer.h"
#include "endpoint/parts.h"
#include "endpoint/pressure.h"
#include "endpoint/protocol_text.h"
#include "endpoint/records.h"
#include "endpoint/rekey.h"
#include "endpoint/share.h"
#include "endpoint/siphash.h"
#include "endpoint/tag.h"
#include "endpoint/timer.h"
#endif
