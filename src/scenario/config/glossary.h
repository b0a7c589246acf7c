/* src/scenario/config/glossary.h - the terms of doc/glossary.md, for `weir help TERM`. The table is made of that page
 * by tools/embed_glossary.py. */
#ifndef WEIR_CONFIG_GLOSSARY_H
#define WEIR_CONFIG_GLOSSARY_H

struct weir_term {
    const char *names; /* "stable, unstable": ", " between */
    const char *text;  /* what it means */
    const char *where; /* "src/base/core/cc.h (struct weir_path), doc/model.md [loss]"; "" = nowhere in particular */
};

extern const struct weir_term weir_glossary[]; /* ended by a row of NULLs */
#endif
