/* src/base/text/build.h - the build that this program or library is of. */
#ifndef WEIR_TEXT_BUILD_H
#define WEIR_TEXT_BUILD_H

/* Returns the version of Weir: "0.2.0". */
const char *weir_build_version(void);
#endif
