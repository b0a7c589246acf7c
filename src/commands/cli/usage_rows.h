/* src/commands/cli/usage_rows.h - rows of the table in usage.c that are too long for it. */
#ifndef WEIR_CLI_USAGE_ROWS_H
#define WEIR_CLI_USAGE_ROWS_H

#define WEIR_USAGE_OF_DIFF                                                                                             \
    {                                                                                                                  \
        "diff", "weir diff BEFORE.db AFTER.db", "which numbers moved between two result files",                        \
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

#define WEIR_USAGE_OF_BISECT                                                                                           \
    {                                                                                                                  \
        "bisect", "weir bisect FILE [options]", "the first packet in which two runs of a scenario differ",             \
            "Runs both until a time, with weir run --digest-until, and halves the time. Prints the packet, what it "   \
            "did\n"                                                                                                    \
            "in each run, and its way until then.\n"                                                                   \
            "\n"                                                                                                       \
            "options:\n"                                                                                               \
            "  --with PROGRAM        this program and that one, another build of weir\n"                               \
            "  --wasm                this program and the WebAssembly module of weir playground, run by node.\n"       \
            "                        --wasm=MODULE takes weir.wasm or a page\n"                                        \
            "  --threads A,B         with so many threads each\n"                                                      \
            "  --ranks A,B           in so many processes each\n"                                                      \
            "  --set key=value       for both runs\n"                                                                  \
            "  --seed N              the same as --set run.seed=N\n"                                                   \
            "  --json                one JSON object instead of the text\n"                                            \
            "\n"                                                                                                       \
            "exit status: 0 no packet differs, 1 one does, 2 the command line, the scenario or PROGRAM is at "         \
            "fault,\n"                                                                                                 \
            "3 memory or a run failed, 130, 143 ended by SIGINT, SIGTERM\n"                                            \
    }

#define WEIR_USAGE_OF_REPORT                                                                                           \
    {                                                                                                                  \
        "report", "weir report OUT.db...", "one HTML page with tables and figures from result files",                  \
            "options:\n"                                                                                               \
            "  -o OUT.html           where the page goes, - = stdout; else in the first file's folder. What is no "    \
            "HTML is "                                                                                                 \
            "kept\n"                                                                                                   \
            "  --runs N,N,..         only these of OUT.db: the column id of its table run\n"                           \
            "  --only KEY=PATTERN    only runs with it, as protocol=sird, load=50%, figure=fig9, 'label=x-*': a "      \
            "column of "                                                                                               \
            "the table run or a\n"                                                                                     \
            "                        key of the scenario, or its end; several have to fit all\n"                       \
            "  --figures DIR         each figure also as files, DIR/NAME.svg and .csv; other files in DIR are kept\n"  \
            "  --format LIST         svg, svg-dark, pdf, png, csv; pdf and png need rsvg-convert\n"                    \
            "  --size WIDTH          of these drawings: 3.3in, 84mm; letters are then 8 points high\n"                 \
            "  --font NAME[,POINTS]  of these drawings\n"                                                              \
            "  --published FILE      the output of weir reproduce --json: published next to measured numbers, as "     \
            "figures\n"                                                                                                \
            "  --text FILE           its text is shown below the results, as it is\n"                                  \
            "  --interactive         curves to zoom into and to read off, tables to sort and filter, numbers to "      \
            "choose; "                                                                                                 \
            "printed, or\n"                                                                                            \
            "                        without JavaScript, it is the page without this option\n"                         \
            "\n"                                                                                                       \
            "The page needs no network and no other file. Curves are drawn by gnuplot; without it they are tables\n"   \
    }

#define WEIR_USAGE_OF_EXPORT                                                                                           \
    {                                                                                                                  \
        "export", "weir export OUT.db [options]", "a table of a result file as CSV or JSON",                           \
            "One row per line, with the names of doc/results.md, to the last digit; the runs of the file if no table " \
            "is "                                                                                                      \
            "named.\n"                                                                                                 \
            "\noptions:\n"                                                                                             \
            "  --table TABLE         run, message, metric, series (with its points), histogram, by_size, job, "        \
            "coflow, law, "                                                                                            \
            "class,\n"                                                                                                 \
            "                        finding or failure\n"                                                             \
            "  --format csv|json     CSV with a line of names (default), or one JSON object: {\"table\": .., "         \
            "\"rows\": "                                                                                               \
            "[..]}\n"                                                                                                  \
            "  --runs N,N,..         only these: the column id of table run\n"                                         \
            "  -o FILE               instead of stdout; the file appears when it is whole\n"                           \
            "\n"                                                                                                       \
            "exit status: 0 done, 2 the command line or a file is at fault, 3 memory or a file that is written "       \
            "failed\n"                                                                                                 \
    }

#define WEIR_USAGE_OF_PLAYGROUND                                                                                       \
    {                                                                                                                  \
        "playground", "weir playground [FILE]... [options]", "one HTML page with the simulator in it, to try laws in", \
            "A browser runs it without a server and without a network. It begins with these scenarios, which weir\n"   \
            "run must accept, and the files that they name; examples of five papers are in it, too (doc/web.md).\n"    \
            "\n"                                                                                                       \
            "options:\n"                                                                                               \
            "  -o OUT.html           where the page goes, - = stdout; else in the first file's folder. What is no "    \
            "HTML is kept\n"                                                                                           \
            "\n"                                                                                                       \
            "exit status: 0 done, 2 the command line or a file is at fault, or this build has no such page, 3 "        \
            "memory\n"                                                                                                 \
            "or I/O failed\n"                                                                                          \
    }

#define WEIR_USAGE_OF_TUNE                                                                                             \
    {                                                                                                                  \
        "tune", "weir tune FILE [options]", "search the value of a key for which a number is best",                    \
            "Golden section on means over seeds, the same seeds for every value; on the logarithm where the range\n"   \
            "spans a factor of ten. Prints the curve, the best value, and the range that these seeds do not tell\n"    \
            "from it. Two or three keys are searched one after another, twice.\n"                                      \
            "\n"                                                                                                       \
            "options:\n"                                                                                               \
            "  --key KEY=LO..HI      protocol.g=0.01..0.5, 'fabric.ecn.threshold=0.25 BDP..2 BDP'; up to three\n"      \
            "  --for NUMBER          slowdown.all.p99, by the names of weir list metrics; its row says which way is\n" \
            "                        better\n"                                                                         \
            "  --seeds N             run.seed and the N - 1 after it; 5 by default, intervals need 3\n"                \
            "  --set key=value       for every run\n"                                                                  \
            "  --jobs N              runs at a time; as many as there are processors by default\n"                     \
            "  --json                one JSON object instead of the text\n"                                            \
            "  -o OUT.db             the result file; else FILE-tune.db. Runs that are in it already are not run "     \
            "again\n"                                                                                                  \
            "  --report OUT.html     where the page goes; else in the folder of OUT.db\n"                              \
            "  --fresh               deletes the runs of these values in OUT.db and runs them again\n"                 \
            "  --wait TIME           for another program that writes OUT.db: 60s by default\n"                         \
            "\n"                                                                                                       \
            "exit status: 0 done, 2 the command line or a file is at fault, 3 a run failed; the others went on,\n"     \
            "75 the same command may do better later: another program writes OUT.db, or runs were ended from "         \
            "outside,\n"                                                                                               \
            "130, 143 ended by SIGINT, SIGTERM: what was done is kept, and the same command goes on from there\n"      \
    }

#endif
