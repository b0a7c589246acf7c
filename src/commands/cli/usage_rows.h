/* src/commands/cli/usage_rows.h - rows of the table in usage.c that are too long for it. */
#ifndef WEIR_CLI_USAGE_ROWS_H
#define WEIR_CLI_USAGE_ROWS_H

#define WEIR_USAGE_OF_DIFF                                                                                             \
    {                                                                                                                  \
        "diff", "weir diff BEFORE.db AFTER.db [options]",                                                              \
            "which numbers moved between two result files: a test for a change of program or key",                     \
            "Runs pair by label and seed. Keys that differ come first, then the runs that one file lacks, then the\n"  \
            "numbers that moved. From three seeds on a number moved if the mean of its paired differences is beyond\n" \
            "the 95 % interval (Student's t); with fewer seeds, if it changed at all.\n"                               \
            "\n"                                                                                                       \
            "options:\n"                                                                                               \
            "  --metrics A,B,..      these numbers, by the names of weir list metrics; else all that the files have\n" \
            "                        and that do not depend on the machine\n"                                          \
            "  --tolerance SHARE     a change of at most this share counts as none, as 1%; 0 by default\n"             \
            "  --any                 even if the network or the traffic differs\n"                                     \
            "  --json                one JSON object instead of the text, with every number of every point\n"          \
            "\n"                                                                                                       \
            "exit status: 0 nothing moved, 1 a number moved, 2 the command line or a file is at fault, 3 memory\n"     \
    }

#endif
