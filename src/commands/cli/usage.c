/* src/commands/cli/usage.c - the usage of each command, and the output of --version. */
#include "cli/usage.h"
#include "cli/cli.h"
#include "cli/usage_rows.h"
#include "core/feature.h"
#include "registry.h"
#include "seal/crypto.h"
#include "text/commit.h"
#include "text/version.h"
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#define COMMON_USAGE                                                                                                   \
    "  --transport T         weir (over UDP, the default) or tcp (the kernel's)\n"                                     \
    "  --cc 'sird KEY=..'    the protocol and its keys as in a scenario: --cc 'sird B=120KB SThr=40KB'\n"              \
    "  --path WHAT           what all ports on the way do: gate = they hold credit back, as expresspass needs\n"       \
    "  --protection P, --key FILE   none, mac or aead, and the keys that the latter need: weir key new FILE\n"         \
    "  --tcp-cc NAME         TCP's congestion control: cubic, bbr, ..\n"                                               \
    "  --tcp-connections N   to each server; 1 by default\n"                                                           \
    "  --rate RATE           of this host's link; else what its device says, else 10Gbps\n"                            \
    "  --rtt TIME            round trip of the idle network; 100us by default\n"                                       \
    "  --mtu N               largest IP packet, the same at both ends; at most 1500 by default\n"                      \
    "  --driver D, --device NAME   udp or xdp, and the network device that xdp needs\n"                                \
    "  --spray-ports N       UDP ports that packets leave from, so that equal paths share them; 1 by default\n"        \
    "  --spin TIME           how long to poll before sleeping; always = never sleep\n"                                 \
    "  --timeout TIME        a peer that is silent this long has failed; 5s by default\n"                              \
    "  --series FILE.csv     goodput, packets and credit over time\n"                                                  \
    "  --every TIME          from line to line of --series; 2ms by default\n"                                          \
    "  --json                one JSON object instead of the table\n"

static const struct weir_usage usages[] = {
    { "run", "weir run FILE [options]", "simulate a scenario and say what came of it",
      "options:\n"
      "  --set key=value       instead of what FILE says: --set protocol.g=0.08 --set 'traffic[0].load=80%'\n"
      "  --seed N              the same as --set run.seed=N\n"
      "  --threads N           1 to 64; results do not depend on it\n"
      "  --ranks N             1 to 64 processes, each with its part of the network and --threads of its own\n"
      "  --json                one JSON object instead of the table\n"
      "  --check               verify invariants while running; exit 1 if one does not hold. --check=general\n"
      "                        likewise, by the code that serves every kind of port: slower, and the same digest\n"
      "  --messages FILE.csv   one line per delivered message; the file appears when it is whole\n"
      "  --links FILE.csv      one line per direction of a cable: bytes, share of rate, marks, drops by cause, queue\n"
      "  --fct FILE            one line per message as HPCC's simulator writes: addresses, ports, bytes, times, ideal\n"
      "  --pauses FILE         one line per PFC frame as it arrives: TIME_ns NODE IS_SWITCH PORT TYPE, 1 = pause\n"
      "  --pcap FILE.pcapng    packets of all hosts, headers only, for Wireshark and tshark\n"
      "  --pcap-at PLACE,..    not of all hosts: 'host 3' or 'leaf 0' (all it sends and gets), 'leaf 0 > spine 1'\n"
      "  --trace FILE.json     messages, jobs, queues and pauses on a timeline: open it at ui.perfetto.dev\n"
      "  --timeline FILE       changes while it runs, a line each: '500 us cut leaf 0 - spine 1', hold, mend; '1 ms\n"
      "                        weight 4 host 3 message 12' (doc/web.md)\n"
      "  --live[=PORT]         shows the run in a browser, at an address that is printed; it can be changed there.\n"
      "                        What was done goes to --write-timeline FILE, which --timeline repeats\n"
      "  --cap SIZE            most bytes of --pcap and of --trace, 100MB if not given: what follows is left out\n"
      "  -o OUT.db             add the run to a result file, or make one: weir report turns it into a page\n"
      "  --wait TIME           for another program that writes OUT.db: 60s by default\n"
      "  --no-messages         no row per message in OUT.db, only what is made of them\n"
      "  --keep-messages N     at most N rows, 1 to 1000000: half of them the slowest, by slowdown, the others a\n"
      "                        sample of the rest, with the weight of each (doc/results.md)\n"
      "  --series TIME         between points of a series in OUT.db, or of queues in --trace: at first a thousandth "
      "of\n"
      "                        the run\n"
      "  --label TEXT          what OUT.db and reports call the run; else the scenario's name\n"
      "  --sweep E/F/P         in OUT.db the run is point P of figure F of experiment E, and replaces an earlier one\n"
      "  --sample TIME         between queue samples: 10us; 10us:average adds the mean since the one before\n"
      "  --find-length         with run.measure: auto only the warm-up and the measured part that it finds\n"
      "  --profile             on stderr, the work of each thread, and how much it waits for the others\n"
      "  --progress WHEN       auto (without a terminal a line every 30 s), never, always\n"
      "\n"
      "Results go to stdout, all else to stderr. exit status:\n"
      "  0 done, an unstable run included    1 an invariant failed, or the run stalled\n"
      "  2 the command line, the scenario or a named file is at fault\n"
      "  3 memory or I/O failed              130, 143 ended by SIGINT, SIGTERM: what was done is printed\n"
      "  75 another program writes OUT.db: later it may be free\n" },
    { "compare", "weir compare FILE [options]", "run protocols on the same traffic and say which differences count",
      "Each protocol gets the fabric and frames that it recommends (weir help NAME); what differs is printed first.\n"
      "What has run is kept in a result file: the same command later runs what is missing (doc/compare.md)\n"
      "\noptions:\n"
      "  --protocols A,B,..    at least two; of FILE's own its section protocol counts, of others their defaults.\n"
      "                        C=A is A once more, under the name C: give it keys by --set C:key=value. The name\n"
      "                        of one of FILE's variants takes that\n"
      "  --seeds N             runs of each protocol, with the seeds run.seed, run.seed + 1, ..; 3 by default,\n"
      "                        fewer give no intervals\n"
      "  --set key=value       of all protocols: --set 'traffic[0].load=80%'\n"
      "  --set A:key=value     of one, over all else: --set dctcp:fabric.ecn.threshold=80KB\n"
      "  --same-fabric         FILE's fabric and frames for all; what it leaves out is as each preset has it\n"
      "  --baseline A          differences from this one, not from the best\n"
      "  --background B        the deployment curve of one protocol, --protocols A: A has a share of the traffic\n"
      "                        and B the rest, in FILE's fabric (doc/compare.md)\n"
      "  --share P,Q,..        its shares, in percent; 0..100 by default: 0,10,25,50,75,90,100\n"
      "  --share-by WHAT       messages are drawn, or hosts, which then send all by A; messages by default\n"
      "  --metrics M,N,..      which numbers are compared; weir list metrics has them all\n"
      "  --jobs N              runs at a time; as many as there are processors by default\n"
      "  --keep-messages N     in OUT.db at most N messages of each run, 1 to 1000000: the slowest, and a sample of\n"
      "                        the rest (doc/results.md); without it none\n"
      "  --list                what differs, and a weir run for each protocol; nothing is run\n"
      "  --json                one JSON object instead of the tables\n"
      "  -o OUT.db             the result file; FILE's name and -compare.db by default\n"
      "  --report OUT.html     the report; the result file's name with .html by default\n"
      "  --fresh               do not keep earlier runs of the same points in the result file\n"
      "  --wait TIME           for another program that writes OUT.db: 60s by default\n"
      "\n"
      "exit status: 0 done, 2 the command line, the scenario or a file is at fault, 3 a run, the report or memory\n"
      "failed, 75 the same command may do better later: another program writes OUT.db, or runs were ended from\n"
      "outside, 130, 143 ended by SIGINT, SIGTERM: what has run is kept, and the same command goes on from there\n" },
    { "reproduce", "weir reproduce PAPER [FIGURE]...", "run a paper's experiments and compare with what it printed",
      "PAPER is sird, fncc, soze, rpm, dart, or a folder with an experiment.yaml (doc/experiments.md), written with\n"
      "a '/'. FIGURE is one of weir list experiments; without it sird's tables, or all of the others but those on\n"
      "request. PAPER arena runs these systems on each other's benchmarks: nobody published that (doc/arena.md).\n"
      "PAPER sird-testbed measures fig3 and fig4 on real hosts in network namespaces, next to TCP and\n"
      "the simulator (root; of the options --check, --json and --seconds; doc/testbed.md). PAPER soze-testbed\n"
      "measures shares by weight in the kernel's TCP, next to cubic and bbr (doc/linux.md). PAPER rpm-testbed\n"
      "measures experiments 1 and 2 of RPM over two switches in the kernel: about an hour, which may be\n"
      "interrupted (doc/testbed.md; besides those options --repeats, --pairs, -o, --fresh and --wait). PAPER\n"
      "laws-testbed measures libweir's protocols at 200 Mb/s, next to cubic and bbr (the same without --pairs).\n"
      "PAPER fncc-testbed measures FNCC, HPCC and DCTCP over a switch in user space: join, reaction and hops, and\n"
      "floor if it is named (the same options). PAPER dart-testbed measures Dart over it: senders that join, an\n"
      "incast beside DCQCN, deflection (the same).\n"
      "\noptions:\n"
      "  --scale F             length of the runs, 0.001 to 10; 1 = as published. 0.2 by default: then peaks\n"
      "                        do not compare\n"
      "  --measure-scale F     the same of the measured part alone. With 1 peaks compare: the window in which\n"
      "                        they are looked for is then the published one, after a shorter warm-up\n"
      "  --jobs N              runs at a time, 1 to 256; else as many as there are processors\n"
      "  --protocol NAME       only this one, or this column; may be given several times. One that is not built is\n"
      "                        named and left out\n"
      "  --check               exit 1 if a value is outside its band\n"
      "  --seconds N           of the testbeds: how long each measurement lasts; 8 by default, of fncc-testbed and\n"
      "                        dart-testbed 5, of laws-testbed 10, of rpm-testbed 60\n"
      "  --repeats N           of rpm-testbed: how often each is made, 1 to 50; 3 by default, which intervals need.\n"
      "                        Of laws-testbed, fncc-testbed and dart-testbed: 5, whose median is printed\n"
      "  --pairs N             of rpm-testbed: senders, with a receiver each, 2 to 10; 10 by default\n"
      "  --json                one JSON object instead of the tables\n"
      "  -o OUT.db             the result file; else PAPER.db. Runs that are in it already are not run again;\n"
      "                        where it has others of the same points, nothing is run (see --fresh)\n"
      "  --report OUT.html     where the report goes; else in the folder of OUT.db\n"
      "  --fresh               deletes the runs of these points in OUT.db and runs everything again\n"
      "  --wait TIME           for another program that writes OUT.db: 60s by default\n"
      "\n"
      "exit status: 0 done, 1 --check found a deviation, 2 the command line or a file is at fault, 3 a run failed,\n"
      "75 the same command may do better later: another program writes OUT.db, or runs were ended from outside,\n"
      "130, 143 ended by SIGINT, SIGTERM: what was done is kept, and the same command goes on from there\n" },
    { "sweep", "weir sweep FILE [options]", "run every combination of what FILE varies, some at a time",
      "FILE is YAML (doc/sweep.md):\n"
      "  scenario: net.yaml    # in FILE's folder\n"
      "  seeds: 5              # 1 to 5, or a list\n"
      "  axes:\n"
      "    - {name: protocol, set: {protocol.name: $}, values: [dctcp, hpcc]}\n"
      "    - {name: load, set: {'traffic[0].load': $}, values: [30%, 50%, 70%]}\n"
      "\noptions:\n"
      "  --list                the points, a line each: number, name, scenario, settings; nothing is run\n"
      "  --point N,N-N,..      only these, by their numbers in the list, into a file of their own (-o)\n"
      "  --set KEY=VALUE       a key of every run, over what FILE says of it; may be given several times\n"
      "  --jobs N              runs at a time, 1 to 256; else as many as there are processors\n"
      "  --keep-messages N     in OUT.db at most N messages of each run, 1 to 1000000: the slowest, and a sample of\n"
      "                        the rest (doc/results.md); without it none\n"
      "  --json                one JSON object instead of the table, or of the list\n"
      "  -o OUT.db             the result file; else FILE.db. Runs that are in it already are not run again\n"
      "  --report OUT.html     where the report goes; else in the folder of OUT.db, and none with --point\n"
      "  --fresh               deletes the runs of these points in OUT.db and runs them again\n"
      "  --wait TIME           for another program that writes OUT.db: 60s by default\n"
      "\n"
      "exit status: 0 done, 2 the command line or a file is at fault, 3 a run failed; the others went on,\n"
      "75 the same command may do better later: another program writes OUT.db, or runs were ended from outside,\n"
      "130, 143 ended by SIGINT, SIGTERM: what was done is kept, and the same command goes on from there\n" },
    { "merge", "weir merge OUT.db SHARD.db...", "put the shards of a sweep into one result file",
      "A run that is in OUT.db already, with the same content, stays there. A shard of another sweep, or with another\n"
      "run of the same point, is refused. Each shard is merged whole or not at all, and stays as it is.\n"
      "\noptions:\n"
      "  --wait TIME           for other programs that write these files: 60s by default\n"
      "\n"
      "exit status: 0 done, 2 the command line or a file is at fault, 3 memory or I/O failed,\n"
      "75 another program writes one of the files: later it may be free\n" },
    { "status", "weir status FILE [SHARD.db...]", "how far a sweep is",
      "Of each point of the sweep FILE: whether it is done, runs, has failed and why, or is missing; and the numbers\n"
      "of those that are left, for --point. Shards count besides OUT.db.\n"
      "\noptions:\n"
      "  --set KEY=VALUE       as the sweep has it; may be given several times\n"
      "  -o OUT.db             the result file; else FILE.db\n"
      "  --json                one JSON object instead of the text\n"
      "\n"
      "exit status: 0 all points are done, 75 some are not, 2 the command line or a file is at fault\n" },
    WEIR_USAGE_OF_REPORT,
    WEIR_USAGE_OF_EXPORT,
    WEIR_USAGE_OF_PLAYGROUND,
    WEIR_USAGE_OF_DIFF,
    WEIR_USAGE_OF_TUNE,
    { "scoreboard", "weir scoreboard OUT.db...",
      "what the papers printed beside what result files of `weir reproduce` have",
      "A page of Markdown on stdout: of each paper that comes with Weir how many numbers were published, how many of "
      "them\n"
      "are in their bands, and every one that is not. Of each run the newest in the files counts.\n"
      "\noptions:\n"
      "  --json                one JSON object instead of the page\n"
      "\n"
      "exit status: 0 done, 2 the command line or a file is at fault, 3 memory or stdout failed\n" },
    { "allocate", "weir allocate FILE [options]", "weighted max-min fair shares of a scenario's flows, by a solver",
      "FILE is any scenario; its listed flows share the network, all at once, on the paths of a run.\n"
      "\noptions:\n"
      "  --set key=value       instead of what FILE says: --set topology.k=32\n"
      "  --seed N              the same as --set run.seed=N\n"
      "  --flows N             N random pairs of hosts with random weights 1 to 10, instead of FILE's flows\n"
      "  --at TIME             only flows that have started by then; those that wait for others have not\n"
      "  --capacity WHAT       of a link: payload (of full packets, the default), or wire (all its bits)\n"
      "  --acks WHAT           left-out (the default), or counted: they take their part of the links back\n"
      "  --soze                print alpha, beta, p and k of Soze for this traffic, as YAML, instead of the rates\n"
      "  --changes FILE.csv    what changes of flows move: rows add,SRC,DST,WEIGHT, remove,FLOW, weight,FLOW,WEIGHT\n"
      "  --within PART         what moves a rate by less is kept at its link until it adds up to more: 1e-4\n"
      "  --csv FILE.csv        one line per flow; the file appears when it is whole\n"
      "  --json                one JSON object instead of the table, with every flow\n"
      "  --timing              say how long reading, finding paths and solving took\n"
      "\n"
      "exit status: 0 done, 2 the command line or a file is at fault, 3 memory or I/O failed, 130, 143 a signal\n" },
    { "topology", "weir topology FILE [options]",
      "audit and drawing of a network: hosts, paths, oversubscription, cables",
      "FILE is a scenario, or a file of a network: YAML of hosts and cables, htsim's .topo, a topology of HPCC's "
      "family\n"
      "(doc/files.md). Traffic is not looked at.\n"
      "\noptions:\n"
      "  --set key=value       instead of what FILE says: --set topology.k=16 --set fabric.routing.metric=delay\n"
      "  --svg FILE.svg        a drawing, hosts below and switches tier by tier above; it appears when it is whole\n"
      "  --cables              the cables instead of the audit: names as fabric.events takes them, rates, delays\n"
      "  --json                one JSON object instead of the table\n"
      "\n"
      "exit status: 0 done, 2 the command line or a file is at fault, 3 memory or I/O failed\n" },
    { "model", "weir model rpm|phantom [options]", "stability limits of fluid models, computed",
      "rpm: which slopes of marking (eta, per packet above the target) are stable, with RPM, where the switch marks\n"
      "passing ACKs, and with marks that travel forward; the paper's root and the right one (doc/rpm-model.md).\n"
      "phantom: which p of Söze's law with a phantom queue is stable, in base round trips (doc/phantom.md).\n"
      "\noptions of rpm:\n"
      "  --capacity RATE       of the bottleneck: 1000pps (packets per second; Kpps, Mpps, Gpps), or in bit/s: 10Gbps\n"
      "  --mtu SIZE            of a packet, where the capacity is in bit/s; 1500B by default\n"
      "  --rtt TIME            round trip with the queueing delay\n"
      "  --short-rtt TIME      from the sender to the switch and back; not longer than --rtt\n"
      "  --a N                 packets that the window grows per round trip; 1 by default\n"
      "  --b F                 part of the window that a mark takes; 0.5 by default\n"
      "  --integrate           the model in time, below and above the limit: does an oscillation decay or grow?\n"
      "  --at N,N,..           the same at these multiples of the limit; --integrate alone is --at 0.93,1.07\n"
      "  --eta N,N,..          the same at these slopes, for example 1.9e-5\n"
      "  --window TIME         whose largest deviation is compared with the next; else ten oscillations\n"
      "  --windows N           how many, 2 to 64; 5 by default\n"
      "  --target N            queue in packets up to which nothing is marked, for the integration; 5 by default\n"
      "  --report FILE.html    a page with figures: eta over s with both roots, the limit over --short-rtt\n"
      "\noptions of phantom:\n"
      "  --flow RTT,OUT,BACK   a flow of the full link: its round trip, time to the link, and from there back with\n"
      "                        news, in base round trips; one or more, of equal weight\n"
      "  --m N,N,..            exponents of the window's update; 0.25,1,4 by default\n"
      "  --ratio N             alpha / beta; 100 by default\n"
      "  --rho F               drain of the phantom queue as a part of the link's rate; 0.99 by default\n"
      "\noptions of both:\n"
      "  --json                one JSON object instead of the table\n"
      "\n"
      "exit status: 0 done, 2 the command line is at fault or asks for too long an integration, 3 memory or a\n"
      "file failed, 130, 143 ended by SIGINT, SIGTERM\n" },
    { "serve", "weir serve [options]", "take messages and answer calls over the real network",
      "options:\n"
      "  --bind ADDRESS:PORT   where to listen; else any address and a free port, which is printed on stderr\n"
      "  --reply SIZE          of every answer; else what a call asks for, else an echo of up to 64 KiB\n"
      "  --metrics ADDRESS:PORT   answer GET /metrics there: counters as OpenMetrics text\n"
      "  --shard               one of several servers of the port, each with its clients; needs CAP_BPF\n" COMMON_USAGE
      "\n"
      "SIGINT and SIGTERM end it: it takes nothing new, ends what has begun, and prints what it counted. exit status:\n"
      "  0 ended by a signal    2 the command line, or a port is in use    3 memory or the network device failed\n" },
    { "ping", "weir ping ADDRESS:PORT", "call a server and say how long the answers take",
      "options:\n"
      "  --count N             calls; by default 1000, or one if no server is there\n"
      "  --duration TIME       no call begins after that; without it --count alone decides\n"
      "  --interval TIME       from call to call, 1ms by default; 0us = one at once after the other\n"
      "  --size SIZE           of a call; 64B by default\n"
      "  --reply SIZE          of the answer; as much as the call by default\n"
      "  --bind ADDRESS:PORT   where to come from\n" COMMON_USAGE "\n"
      "exit status: 0 done, 2 the command line is at fault, 3 nobody answers, 130, 143 ended by SIGINT, SIGTERM\n" },
    { "load", "weir load ADDRESS:PORT...",
      "send messages of a size distribution to servers, measure goodput and latency",
      "options:\n"
      "  --sizes WHAT          a distribution (weir list workloads), FILE.csv, or one size: fixed:10MB\n"
      "  --load F              open loop, Poisson: payload as a part of --rate (50%), or as a rate (2Gbps)\n"
      "  --outstanding N       closed loop: so many messages under way to each server; 1 by default\n"
      "  --incast TIME         a message to every server each time this has passed by the clock of the day\n"
      "  --join TIME           closed loop: the second server joins in after this time, the third after twice as long\n"
      "  --duration TIME       how long messages are started; 10s by default\n"
      "  --warmup TIME         what ends before is not measured\n"
      "  --count N             most messages to start\n"
      "  --weight W            of messages, 0.001 to 1000: Soze gives rates in proportion to it\n"
      "  --priority P          of messages, 0 to 7, 0 the most urgent: with sender-driven protocols the class of "
      "packets\n"
      "  --seed N              of sizes, gaps and servers; hosts that send together want different ones\n"
      "  --bind ADDRESS:PORT   where to come from\n" COMMON_USAGE "\n"
      "latency in the open loop begins when the message was to start, not when there was room for it. exit status:\n"
      "  0 done    2 the command line is at fault    3 a server cannot be reached, memory or I/O failed\n"
      "  130, 143 ended by SIGINT, SIGTERM: what was done is printed\n" },
    { "tcp", "weir tcp VERB [LAW]", "control laws in the kernel's TCP: load, show, weigh, unload",
      "verbs:\n"
      "  load 'LAW KEY=VALUE'   dctcp, soze, swift or timely with its keys, as in a scenario; once more: new keys\n"
      "  status [LAW]          what is loaded: keys, and counts of sockets, calls and delays\n"
      "  unload LAW            sockets that use it keep it until they close\n"
      "  weight W COMMAND ..   runs a command whose sockets have this weight under Soze, 0.001 to 1000\n"
      "  budget FOLDER SUM     sockets of this cgroup (v2) may weigh so much in all; 0 = no limit\n"
      "  audit                 the log of weights: who asked for more than the budget of its cgroup has\n"
      "  replay LAW            the law's events in the kernel, through the same law in this program\n"
      "  clean                 removes all laws of Weir, also what an interrupted load has left\n"
      "\n"
      "options of load:\n"
      "  --port RATE           of the slowest port: Soze's k, p and rates follow from it; else they are its paper's\n"
      "  --netns NAME          whose sockets send Soze's option, or all; else those of this network namespace\n"
      "  --cgroup FOLDER       only sockets of this cgroup (v2) do\n"
      "  --by-rtt              delays are round trips less the shortest: where no switch raises the option\n"
      "  --record              keep events for replay\n"
      "options of status:\n"
      "  --json                one JSON object: keys and counts of every law that is loaded\n"
      "options of replay and audit:\n"
      "  --for TIME            how long; 1s by default\n"
      "  --csv FILE.csv        one line per event\n"
      "\n"
      "It takes root, or CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON, and Linux 6.10 or later. exit status: 0 done,\n"
      "1 an answer differs, or a budget was exceeded, 2 the command line is at fault, 3 the kernel refuses,\n"
      "75 another load is in progress; of weight that of the command\n" },
    { "switch", "weir switch VERB [FILE]", "a switch of this machine, by programs in its kernel or in user space",
      "verbs:\n"
      "  start FILE            a scenario, and in it switch: {ports: {host 0: eth1, host 1: eth2}}.\n"
      "  status                queues, waiting times, drops, marks\n"
      "  stop                  devices are then what they were\n"
      "  clean                 removes what an interrupted start or stop has left; ends a running switch, too\n"
      "\n"
      "options of start:\n"
      "  --engine kernel|user  kernel: one switch, by programs in the kernel. user: any topology with all features of\n"
      "                        the simulator, by a process; with switch: {} hosts are namespaces that it makes\n"
      "  --foreground          user: no process in the background; SIGINT and SIGTERM end it\n"
      "  --pcap FILE.pcapng    user: writes what came and what left, to the picosecond\n"
      "  --snaplen BYTES       with --pcap: at most so much of each frame\n"
      "  --set key=value       instead of what FILE says: --set fabric.port_buffer=500KB\n"
      "options of status:\n"
      "  --json                one JSON object instead of the table, with all counters of each port\n"
      "\n"
      "For the kernel FILE's section fabric may have ecn, codel, rpm, maxqd and port_buffer (doc/linux.md). For user\n"
      "see doc/softswitch.md.\n"
      "A network namespace has one switch at most. It takes root, Linux 6.2 or later, and iproute2. exit status:\n"
      "  0 done    2 the command line, the scenario or a device is at fault    3 the kernel refuses; all is as before\n"
      "  75 another weir switch is at work\n" },
    { "delay", "weir delay VERB [LINE]...", "delay lines between network devices of this machine",
      "verbs:\n"
      "  start LINE ..         one process in the background for all lines; a line is DEVICE,DEVICE,TIME\n"
      "  status                frames, drops, and how late frames were sent\n"
      "  stop                  prints the same, and ends the process: frames that wait are lost\n"
      "\n"
      "What one device of a line receives the other one sends so much later, in both directions and in order.\n"
      "TIME is 1 ms to 200 ms.\n"
      "\noptions:\n"
      "  --rate RATE           of the network, for start: a line holds what this rate sends in twice its delay, and\n"
      "                        1 MiB more, but at most 256 MiB in each direction. 1 Gbps by default\n"
      "  --json                one JSON object instead of the table, for status and stop\n"
      "\n"
      "Frames larger than the MTU are dropped and counted: switch off tso, gso and gro of who sends them (ethtool "
      "-K).\n"
      "So are frames with VLAN tags. A network namespace has one such process at most; weir-testbed --delay starts "
      "it.\n"
      "It takes root or CAP_NET_RAW. exit status:\n"
      "  0 done    2 the command line or a device is at fault    3 the kernel refuses, or there is no memory\n" },
    { "session", "weir session [FILE] [options]", "a simulation that another program drives, by lines of JSON",
      "Each line of standard input is a call, {\"call\": \"inject\", \"src\": 0, \"dst\": 5, \"bytes\": 1000}, and is "
      "answered\n"
      "by a line on standard output. FILE is a scenario with traffic of kind session; without it the first call opens\n"
      "one, and a saved session is such lines: weir session < SAVED. A call that is refused changes nothing, and the\n"
      "session goes on. weir schema session has all calls and answers, doc/session.md says what they do.\n"
      "\noptions:\n"
      "  --set key=value       instead of what FILE says: --set protocol.g=0.08\n"
      "  --threads N           1 to 64; results do not depend on it\n"
      "  --record              keep all calls, so that the session can be saved: some 15 bytes a message\n"
      "  --check               verify invariants while running\n"
      "\n"
      "exit status: 0 done, 1 an invariant failed, or a saved session has another digest here, 2 the command line, a\n"
      "file or a call was refused, 3 memory or I/O failed\n" },
    { "key", "weir key VERB FILE", "files of keys, by which peers know each other",
      "verbs:\n"
      "  new FILE              makes FILE with one random key, which nobody but its owner may read\n"
      "  show FILE             number, name and fingerprint of each key; the key itself is never printed\n"
      "\n"
      "A line of a file is a key: NUMBER NAME BASE64. The first key is used, all are accepted (doc/protection.md).\n"
      "A file that is there is left as it is. Its mode must be 0600 or stricter.\n"
      "\n"
      "options of new:\n"
      "  --name NAME           what the other end calls the holder of the key; fleet by default\n"
      "  --number N            by which peers name the key, 1 to 65535; 1 by default\n"
      "\n"
      "exit status: 0 done, 2 the command line or the file is at fault, 3 the file cannot be written, or this weir "
      "was\n"
      "built without libsodium\n" },
    { "list", "weir list WHAT", "protocols, features, workloads, topologies, metrics or experiments",
      "WHAT is protocols, features, workloads, topologies; metrics, the numbers of a run that experiments, sweeps and\n"
      "comparisons can name; or experiments: what weir reproduce knows by name, with its figures, then the folders of\n"
      "scenarios in ./experiments.\n" },
    { "schema", "weir schema COMMAND", "the JSON Schema of what a command prints with --json",
      "COMMAND is run, compare, diff, tune, sweep, reproduce, allocate, topology, scoreboard, session, switch, tcp "
      "or\n"
      "delay. A key that is renamed has a line in CHANGELOG.md; what does not apply is null.\n" },
    { "help", "weir help [NAME]", "explain a key, a section, a protocol, a workload, a command, a term",
      "  weir help             all commands\n"
      "  weir help NAME        a section (fabric), a key (traffic.load), a protocol (dctcp), a workload, a command\n"
      "  weir help NUMBER      a number that runs give (goodput_gbps)\n"
      "  weir help TERM        a term of the glossary (slowdown)\n"
      "  weir help scenario    everything that a scenario file may say\n"
      "\noptions:\n"
      "  --markdown            what a scenario file may say, as a page; --markdown metrics: the numbers that a run "
      "gives\n"
      "  --man NAME            the manual page of a command, or weir-scenario(5) for scenario, for man -l -\n"
      "  --completion SHELL    what bash, zsh or fish complete: commands, options, protocols, keys\n" },
};
#define USAGE_COUNT (sizeof(usages) / sizeof(usages[0]))

const struct weir_usage *weir_usage_at(size_t index)
{
    return index < USAGE_COUNT ? &usages[index] : NULL;
}

const struct weir_usage *weir_usage_find(const char *name)
{
    for (size_t i = 0; i < USAGE_COUNT; i++)
        if (strcmp(usages[i].name, name) == 0)
            return &usages[i];
    return NULL;
}

bool weir_cli_usage(const char *name)
{
    const struct weir_usage *usage = weir_usage_find(name);
    if (usage != NULL)
        (void)printf("%s - %s\n\n%s", usage->call, usage->does, usage->more);
    return usage != NULL;
}

bool weir_cli_asks_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

int weir_cli_show_usage(const char *name)
{
    (void)weir_cli_usage(name);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

void weir_cli_overview(bool to_stderr)
{
    FILE *out = to_stderr ? stderr : stdout;
    int width = 0;
    for (size_t i = 0; i < USAGE_COUNT; i++)
        width = (int)strlen(usages[i].call) > width ? (int)strlen(usages[i].call) : width;
    (void)fprintf(out, "weir - datacenter congestion control, simulated packet by packet and on the real network\n\n");
    for (size_t i = 0; i < USAGE_COUNT; i++)
        (void)fprintf(out, "  %-*s  %s\n", width, usages[i].call, usages[i].does);
    (void)fprintf(out, "  %-*s  %s\n", width, "weir --version", "version, compiler, what is in");
    (void)fprintf(out, "\nweir COMMAND --help says more; weir help scenario explains scenario files.\n");
}

int weir_cli_version(void)
{
    (void)printf("weir %s\n", WEIR_VERSION);
    (void)printf("commit     %s\n", WEIR_COMMIT);
    (void)printf("compiler   %s\n", COMPILER);
    (void)printf("build      %s\n", WEIR_BUILD);
    (void)printf("libyaml    %s\n", yaml_get_version_string());
    (void)printf("sqlite     %s\n", sqlite3_libversion());
    (void)printf("worlds     simulator, real networks over UDP and TCP\n");
#ifdef WEIR_HAVE_XDP
    (void)printf("drivers    udp xdp\n");
#else
    (void)printf("drivers    udp\n");
#endif
    (void)printf("ciphers    %s%s\n", weir_crypto_ready() ? "chacha20-poly1305" : "none",
                 weir_crypto_has(WEIR_CIPHER_AES_GCM) ? " aes-256-gcm" : "");
    (void)printf("protocols ");
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++)
        (void)printf(" %s", p->name);
    (void)printf("\nfeatures  ");
    for (const struct weir_feature *const *f = weir_features; *f != NULL; f++)
        (void)printf(" %s", (*f)->name);
    (void)printf("\n");
    return weir_cli_finish(WEIR_EXIT_DONE);
}
