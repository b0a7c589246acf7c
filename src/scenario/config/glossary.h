/* src/scenario/config/glossary.h - the terms of doc/glossary.md, for `weir help TERM`. tools/embed_glossary.py
 * generates the table from that page. */
#ifndef WEIR_CONFIG_GLOSSARY_H
#define WEIR_CONFIG_GLOSSARY_H

struct weir_term {     /* one row of the glossary */
    const char *names; /* one or more terms, separated by ", ": "stable, unstable" */
    const char *text;  /* the meaning */
    const char *where; /* "src/base/core/cc.h (struct weir_path), doc/model.md [loss]"; "" = no place is named */
};

extern const struct weir_term weir_glossary[]; /* the last row has only NULLs */
#endif
