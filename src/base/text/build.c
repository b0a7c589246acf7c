/* src/base/text/build.c - see build.h. */
#include "text/build.h"
#include "text/version.h"

const char *weir_build_version(void)
{
    return WEIR_VERSION;
}
