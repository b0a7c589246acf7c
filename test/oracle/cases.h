/* test/oracle/cases.h - hand-picked scenarios: each feature alone on the topology that shows it, then together. */
#ifndef WEIR_TEST_CASES_H
#define WEIR_TEST_CASES_H

/* Loads and buffers are such that each case does between 10^5 and 10^6 packet-hops and really uses what it is named for. */
#define LEAF_SPINE                                                                                                     \
    "topology: {kind: leaf-spine, hosts: 24, racks: 3, spines: 2, host_link: 100 Gbps, core_link: 400 Gbps, "          \
    "host_delay: 500 ns, core_delay: 250 ns}\n"
#define FAT_TREE                                                                                                       \
    "topology: {kind: fat-tree, k: 4, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 300 ns, "                  \
    "core_delay: 700 ns}\n"
#define DUMBBELL                                                                                                       \
    "topology: {kind: dumbbell, hosts: 12, host_link: 25 Gbps, core_link: 100 Gbps, host_delay: 1 us, "                \
    "core_delay: 2 us}\n"
#define CHAIN                                                                                                          \
    "topology: {kind: chain, hosts: 12, switches: 4, host_link: 40 Gbps, core_link: 56 Gbps, host_delay: 400 ns, "     \
    "core_delay: 1100 ns}\n"
#define STAR "topology: {kind: star, hosts: 9, host_link: 10 Gbps, host_delay: 2 us}\n"
#define DCTCP "protocol: {name: dctcp}\n"
#define SIRD "protocol: {name: sird}\n"
#define SIRD_SOON "protocol: {name: sird, loss_timeout: 60 us}\n" /* so that recovery happens within a short run */
#define HOMA "protocol: {name: homa}\n"
#define NDP "protocol: {name: ndp}\n"
#define DCPIM "protocol: {name: dcpim}\n"
#define XPASS "protocol: {name: expresspass}\n"
#define NONE "protocol: {name: none}\n"
#define SOZE "protocol: {name: soze}\n"
#define AIMD "protocol: {name: aimd}\n"
#define MIX(load) "  - {kind: poisson, sizes: wkb, load: " load "}\n"
#define INCAST(fan_in, size, load) "  - {kind: incast, fan_in: " fan_in ", size: " size ", load: " load "}\n"
#define PACKETS(load) "  - {kind: poisson, sizes: 1460 B, load: " load "}\n"
#define PERM(size) "  - {kind: permutation, size: " size "}\n"
#define SOON "rto_min: 50 us, rto_init: 100 us"
#define HURRY "host: {" SOON "}\n" /* so that timeouts happen within a short run */
#define TRAFFIC "traffic:\n"
#define RUN(measure) "run: {warmup: 50 us, measure: " measure ", seed: 11}\n"
#define RUN_ALL "run: {warmup: 0 us, measure: all, seed: 12}\n"
#define ROUNDS "  - {kind: permutation, size: 20 KB}\n  - {kind: permutation, size: 20 KB, start: 2 ms}\n"
#define INCAST_ONCE "  - {kind: incast, fan_in: 12, size: 50 KB, period: 1 ms, stop: 1500 us}\n"
#define IDLE "run: {warmup: 50 us, measure: 4 ms, seed: 11, sample_average: true}\n"
#define IDLE_ALL "run: {warmup: 0 us, measure: all, seed: 12, sample_average: true}\n"
#define SAMPLED_ALL "run: {warmup: 0 us, measure: all, seed: 12, sample: 700 ns}\n" /* switches are quiet at times */
#define BY_SAMPLES "run: {warmup: 50 us, measure: 250 us, seed: 11, sample: 700 ns, statistics: sampled}\n"
#define BY_SAMPLES_ALL "run: {warmup: 0 us, measure: all, seed: 12, sample: 700 ns, statistics: sampled}\n"
#define DROPPY "buffer: 200 KB, ecn: {threshold: 60 KB}"

static const struct {
    const char *name, *text;
} cases[] = {
    /* topologies and routing, nothing else going on */
    { "leaf-spine ecmp", LEAF_SPINE DCTCP "fabric: {routing: ecmp}\n" TRAFFIC MIX("60%") RUN("250 us") },
    { "leaf-spine symmetric", LEAF_SPINE DCTCP "fabric: {routing: symmetric}\n" TRAFFIC MIX("60%") RUN("250 us") },
    { "leaf-spine spray", LEAF_SPINE DCTCP "fabric: {routing: spray}\n" TRAFFIC MIX("60%") RUN("250 us") },
    { "fat-tree ecmp", FAT_TREE DCTCP "fabric: {routing: ecmp}\n" TRAFFIC MIX("50%") RUN("300 us") },
    { "fat-tree symmetric", FAT_TREE DCTCP "fabric: {routing: symmetric}\n" TRAFFIC MIX("50%") RUN("300 us") },
    { "fat-tree spray permutation", FAT_TREE DCTCP "fabric: {routing: spray}\n" TRAFFIC PERM("1 MB") RUN_ALL },
    { "queues by samples alone", FAT_TREE DCTCP TRAFFIC MIX("50%") BY_SAMPLES },
    { "queues by samples alone, classes", LEAF_SPINE DCTCP "fabric: {priorities: 4}\n" TRAFFIC MIX("60%") BY_SAMPLES },
    { "queues by samples alone, until all is delivered", STAR DCTCP TRAFFIC ROUNDS BY_SAMPLES_ALL },
    { "a list that is done long before the end", STAR DCTCP TRAFFIC PERM("30 KB") RUN("400 us") },
    { "dumbbell", DUMBBELL DCTCP "fabric: {routing: ecmp}\n" TRAFFIC MIX("60%") RUN("1500 us") },
    { "chain at 56 Gbps, which carries remainders",
      CHAIN DCTCP "fabric: {routing: ecmp}\n" TRAFFIC MIX("40%") RUN("3 ms") },
    { "star", STAR DCTCP "fabric: {routing: ecmp}\n" TRAFFIC MIX("70%") RUN("10 ms") },
    { "star at 56 Gbps", STAR DCTCP "fabric: {routing: ecmp}\n" TRAFFIC INCAST("6", "100 KB", "50%") RUN("10 ms") },
    /* other simulators' files */
    { "htsim's fat tree with bundles, and its permutation",
      "topology: {kind: file, file: examples/files/pods.topo}\n" DCTCP "fabric: {routing: spray}\n" TRAFFIC
      "  - {kind: flows, file: examples/files/permutation.cm}\n" RUN_ALL },
    { "htsim's barriers as a job", "topology: {kind: file, file: examples/files/pods.topo}\n" DCTCP TRAFFIC
                                   "  - {kind: jobs, file: examples/files/ring.cm, start_unit: us}\n" RUN_ALL },
    { "HPCC's topology and flows", "topology: {kind: file, file: examples/files/racks.txt}\n" DCTCP TRAFFIC
                                   "  - {kind: flows, file: examples/files/flows.txt}\n" RUN_ALL },
    { "SimAI's servers behind NVSwitches", "topology: {kind: file, file: examples/files/servers.txt}\n" DCTCP TRAFFIC
                                           "  - {kind: permutation, size: 200 KB}\n" RUN_ALL },
    { "planes, a message for each NIC in turn",
      "topology: {kind: planes, planes: 3, hosts: 8, racks: 2, spines: 2, host_link: 10 Gbps, core_link: 10 "
      "Gbps}\n" DCTCP "host: {nics: rail}\nfabric: {routing: symmetric}\n" TRAFFIC
      "  - {kind: permutation, size: 300 KB}\n" RUN_ALL },
    { "rails, packets sprayed over NICs",
      "topology: {kind: rail, servers: 3, gpus: 4, rails: 2, spines: 2, host_link: 10 Gbps, core_link: 10 Gbps, "
      "server_link: 40 Gbps}\n" DCTCP "host: {nics: least-queued, nic_queue: pull}\n" TRAFFIC
      "  - {kind: permutation, size: 300 KB}\n" RUN_ALL },
    /* no acknowledgements: the network alone */
    { "open loop in a fat-tree", FAT_TREE NONE TRAFFIC PACKETS("70%") RUN("300 us") },
    { "open loop, sprayed, losing packets",
      LEAF_SPINE NONE "fabric: {routing: spray, loss: 1%, buffer: 60 KB}\n" TRAFFIC PACKETS("80%") RUN("250 us") },
    { "open loop to the last packet",
      DUMBBELL NONE TRAFFIC "  - {kind: poisson, sizes: 1000 B, load: 70%, stop: 1 ms}\n" RUN_ALL },
    /* marking */
    { "a threshold everywhere",
      LEAF_SPINE DCTCP "fabric: {ecn: {threshold: 50 KB}}\n" TRAFFIC MIX("80%") RUN("250 us") },
    { "a threshold in the core only",
      LEAF_SPINE DCTCP "fabric: {ecn: {threshold: 10 KB, where: core}}\n" TRAFFIC MIX("80%") RUN("250 us") },
    { "a ramp",
      LEAF_SPINE DCTCP "fabric: {ecn: {kmin: 5 KB, kmax: 80 KB, pmax: 30%}}\n" TRAFFIC MIX("80%") RUN("250 us") },
    { "a ramp at 56 Gbps",
      CHAIN DCTCP "fabric: {ecn: {kmin: 5 KB, kmax: 80 KB, pmax: 30%}}\n" TRAFFIC MIX("40%") RUN("3 ms") },
    { "no marking, drops alone",
      STAR DCTCP "fabric: {buffer: 300 KB, ecn: {threshold: 10 MB}}\n" TRAFFIC MIX("80%") RUN("10 ms") },
    /* buffers */
    { "a shared buffer that overflows",
      LEAF_SPINE DCTCP "fabric: {" DROPPY "}\n" TRAFFIC MIX("60%") INCAST("12", "100 KB", "15%") RUN("250 us") },
    { "a static limit per port", LEAF_SPINE DCTCP "fabric: {port_buffer: 60 KB, ecn: {threshold: 30 KB}}\n" TRAFFIC MIX(
                                     "60%") INCAST("12", "100 KB", "15%") RUN("250 us") },
    { "dynamic thresholds", LEAF_SPINE DCTCP "fabric: {" DROPPY ", alpha: 1}\n" TRAFFIC MIX("60%")
                                INCAST("12", "100 KB", "15%") RUN("250 us") },
    { "dynamic thresholds of a half at 56 Gbps",
      CHAIN DCTCP "fabric: {" DROPPY ", alpha: 0.5}\n" TRAFFIC MIX("30%") INCAST("8", "50 KB", "10%") RUN("3 ms") },
    { "a buffer of three packets", STAR DCTCP HURRY "fabric: {buffer: 5 KB}\n" TRAFFIC MIX("50%") RUN("10 ms") },
    /* priorities */
    { "two classes, acknowledgements first", LEAF_SPINE DCTCP
      "host: {data_class: 1, ack_class: 0}\nfabric: {priorities: 2}\n" TRAFFIC MIX("70%") RUN("250 us") },
    { "two classes, acknowledgements last",
      FAT_TREE DCTCP "host: {data_class: 0, ack_class: 1}\nfabric: {priorities: 2, routing: spray}\n" TRAFFIC MIX("60%")
          RUN("300 us") },
    { "three classes at 56 Gbps",
      CHAIN DCTCP "host: {data_class: 2, ack_class: 0}\nfabric: {priorities: 3}\n" TRAFFIC MIX("40%") RUN("3 ms") },
    { "eight classes, a shared buffer, marks",
      LEAF_SPINE DCTCP "host: {data_class: 6, ack_class: 3}\nfabric: {priorities: 8, " DROPPY
                       ", alpha: 2}\n" TRAFFIC MIX("60%") INCAST("12", "100 KB", "15%") RUN("250 us") },
    { "a class beyond the last",
      STAR DCTCP "host: {data_class: 7, ack_class: 1}\nfabric: {priorities: 3}\n" TRAFFIC MIX("70%") RUN("10 ms") },
    /* hosts that queue at the NIC */
    { "an unlimited NIC", LEAF_SPINE DCTCP "host: {nic_queue: unlimited}\n" TRAFFIC MIX("60%") RUN("250 us") },
    { "an unlimited NIC that marks",
      DUMBBELL DCTCP "host: {nic_queue: unlimited}\nfabric: {ecn: {threshold: 20 KB, where: all}}\n" TRAFFIC MIX("60%")
          RUN("1500 us") },
    { "an unlimited NIC with two classes", LEAF_SPINE DCTCP
      "host: {nic_queue: unlimited, data_class: 1}\nfabric: {priorities: 2, ecn: {kmin: 5 KB, kmax: 90 KB}}\n" TRAFFIC
          MIX("70%") RUN("250 us") },
    { "an open loop through unlimited NICs",
      STAR NONE "host: {nic_queue: unlimited}\n" TRAFFIC PACKETS("80%") RUN("10 ms") },
    /* loss */
    { "one packet in a hundred is lost",
      LEAF_SPINE DCTCP HURRY "fabric: {loss: 1%}\n" TRAFFIC MIX("50%") RUN("300 us") },
    { "every fifth packet is lost", STAR DCTCP HURRY "fabric: {loss: 20%}\n" TRAFFIC PERM("200 KB") RUN("40 ms") },
    { "loss and spraying",
      FAT_TREE DCTCP HURRY "fabric: {loss: 0.2%, routing: spray}\n" TRAFFIC MIX("50%") RUN("300 us") },
    /* cables */
    { "a core cable goes down and comes back", LEAF_SPINE DCTCP
      "fabric: {events: [{at: 100 us, link: leaf 0 - spine 1, action: down}, {at: 200 us, link: leaf 0 - spine 1, "
      "action: up}]}\n" TRAFFIC MIX("60%") RUN("300 us") },
    { "routes follow late", FAT_TREE DCTCP
      "fabric: {routing: spray, reroute_delay: 30 us, events: [{at: 80 us, link: agg 0 - core 1, action: down}, {at: "
      "180 us, "
      "link: agg 0 - core 1, action: up}, {at: 200 us, link: edge 2 - agg 3, action: down}]}\n" TRAFFIC MIX("50%")
          RUN("300 us") },
    { "a host is cut off for a while", LEAF_SPINE DCTCP HURRY
      "fabric: {events: [{at: 90 us, link: host 3 - leaf 0, action: down}, {at: 140 us, link: host 3 "
      "- leaf 0, action: up}]}\n" TRAFFIC MIX("50%") RUN("300 us") },
    { "a host with an unlimited NIC is cut off", STAR DCTCP
      "host: {nic_queue: unlimited, " SOON "}\nfabric: {events: [{at: 500 us, link: host 2 - switch 0, action: down}, "
      "{at: 900 us, link: "
      "host 2 - switch 0, action: up}]}\n" TRAFFIC MIX("60%") RUN("10 ms") },
    { "the only way breaks, with classes and a small buffer",
      DUMBBELL DCTCP "host: {data_class: 1}\nfabric: {priorities: 2, " DROPPY
                     ", events: [{at: 300 us, link: switch 0 - switch 1, action: down}, "
                     "{at: 500 us, link: switch 0 - switch 1, action: up}, {at: 505 us, link: switch 0 - switch 1, "
                     "action: down}, {at: 506 us, "
                     "link: switch 0 - switch 1, action: up}]}\n" TRAFFIC MIX("60%") RUN("1500 us") },
    { "an open loop meets a broken cable",
      CHAIN NONE "fabric: {reroute_delay: 20 us, events: [{at: 100 us, link: "
                 "switch 1 - switch 2, action: down}, {at: 250 us, link: switch 1 "
                 "- switch 2, action: up}]}\n" TRAFFIC PACKETS("40%") RUN("2 ms") },
    /* the end host */
    { "delayed acknowledgements",
      LEAF_SPINE DCTCP "host: {ack_every: 4, ack_delay: 20 us}\n" TRAFFIC MIX("60%") RUN("250 us") },
    { "two connections per pair, and replies",
      LEAF_SPINE DCTCP "host: {connections: 2, reply_bytes: 4}\n" TRAFFIC MIX("70%") RUN("250 us") },
    { "windows of 64 packets on a path that holds more, losing packets",
      "topology: {kind: star, hosts: 9, host_link: 100 Gbps, host_delay: 20 us}\n" DCTCP
      "host: {window: 64, rto_min: 200 us, rto_init: 400 us}\nfabric: {loss: 1%}\n" TRAFFIC PERM("6 MB") RUN_ALL },
    { "thousands of packets in flight, losing some",
      "topology: {kind: star, hosts: 3, host_link: 100 Gbps, host_delay: 500 us}\n"
      "protocol: {name: dctcp, init_cwnd: 100 MB}\n"
      "host: {window: 17000, rto_min: 4 ms, rto_init: 10 ms}\nfabric: {loss: 0.05%, ecn: {threshold: 1 GB}}\n" TRAFFIC
          PERM("50 MB") RUN_ALL },
    { "thousands of packets in flight, on paths that reorder",
      "topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 100 Gbps, "
      "host_delay: "
      "400 us, core_delay: 100 us}\nprotocol: {name: dctcp, init_cwnd: 100 MB}\n"
      "host: {window: 100000, rto_min: 4 ms, rto_init: 10 ms}\nfabric: {routing: spray, loss: 0.01%}\n" TRAFFIC PERM(
          "40 MB") RUN_ALL },
    { "frames of 1000 bytes", LEAF_SPINE DCTCP "framing: {preset: hpcc}\n" TRAFFIC MIX("60%") RUN("250 us") },
    { "jumbo frames", LEAF_SPINE DCTCP "framing: {payload: 8940 B}\n" TRAFFIC MIX("80%") RUN("500 us") },
    { "the evaluation's DCTCP", LEAF_SPINE "protocol: {name: dctcp, preset: ns2}\n" TRAFFIC MIX("60%") RUN("250 us") },
    { "DCTCP as published", STAR "protocol: {name: dctcp, preset: sigcomm2010}\n" TRAFFIC MIX("80%") RUN("10 ms") },
    /* receiver-driven: credit, two priorities, sprayed packets by default */
    { "SIRD", LEAF_SPINE SIRD TRAFFIC MIX("60%") RUN("250 us") },
    { "SIRD with its NIC-sized messages",
      LEAF_SPINE SIRD TRAFFIC "  - {kind: poisson, sizes: wka, load: 60%}\n" RUN("150 us") },
    { "SIRD in one class", LEAF_SPINE SIRD "fabric: {priorities: 1}\n" TRAFFIC MIX("60%") RUN("250 us") },
    { "SIRD in one class on fixed paths",
      FAT_TREE SIRD "fabric: {priorities: 1, routing: ecmp}\n" TRAFFIC MIX("60%") RUN("300 us") },
    { "SIRD on symmetric paths, three classes",
      FAT_TREE SIRD "fabric: {priorities: 3, routing: symmetric}\n" TRAFFIC MIX("60%") RUN("300 us") },
    { "SIRD at 56 Gbps", CHAIN SIRD TRAFFIC MIX("40%") RUN("2 ms") },
    { "SIRD loses one packet in a hundred",
      LEAF_SPINE SIRD_SOON "fabric: {loss: 1%}\n" TRAFFIC MIX("50%") RUN("600 us") },
    { "SIRD in buffers that overflow",
      LEAF_SPINE SIRD_SOON "fabric: {buffer: 60 KB}\n" TRAFFIC MIX("60%") INCAST("12", "100 KB", "15%") RUN("600 us") },
    { "SIRD to the last message, losing packets",
      STAR SIRD_SOON "fabric: {loss: 2%}\n" TRAFFIC PERM("300 KB") RUN_ALL },
    { "SIRD while a cable is down", LEAF_SPINE SIRD_SOON
      "fabric: {reroute_delay: 40 us, events: [{at: 100 us, link: leaf 0 - spine 1, action: down}, {at: 300 us, link: "
      "leaf 0 - spine 1, action: up}]}\n" TRAFFIC MIX("50%") RUN("500 us") },
    { "SIRD through unlimited NICs",
      LEAF_SPINE SIRD "host: {nic_queue: unlimited}\n" TRAFFIC MIX("50%") RUN("250 us") },
    { "the evaluation's SIRD", LEAF_SPINE "protocol: {name: sird, preset: ns2}\n" TRAFFIC MIX("60%") RUN("250 us") },
    { "the evaluation's SIRD under incast", LEAF_SPINE "protocol: {name: sird, preset: ns2}\n" TRAFFIC MIX("60%")
                                                INCAST("12", "500 KB", "10%") RUN("400 us") },
    { "SIRD, senders in turn, control alone first", LEAF_SPINE
      "protocol: {name: sird, receiver_policy: round-robin, sender_policy: fair, priorities: control}\n" TRAFFIC MIX(
          "60%") RUN("250 us") },
    { "SIRD, least in flight, every message unscheduled",
      LEAF_SPINE "protocol: {name: sird, receiver_policy: least-in-flight, sender_policy: largest, priorities: none, "
                 "UnschT: all}\n" TRAFFIC MIX("60%") RUN("250 us") },
    { "NDP", LEAF_SPINE NDP TRAFFIC MIX("60%") RUN("250 us") },
    { "NDP in one class on fixed paths, NICs unlimited", FAT_TREE NDP
      "host: {nic_queue: unlimited}\nfabric: {priorities: 1, routing: ecmp}\n" TRAFFIC MIX("60%") RUN("300 us") },
    { "NDP with a window of two packets at 56 Gbps",
      CHAIN "protocol: {name: ndp, window: 3 KB, loss_timeout: off}\n" TRAFFIC MIX("40%") RUN("2 ms") },
    { "NDP in buffers that overflow",
      LEAF_SPINE "protocol: {name: ndp, loss_timeout: 60 us}\n"
                 "fabric: {buffer: 60 KB}\n" TRAFFIC MIX("60%") INCAST("12", "100 KB", "15%") RUN("600 us") },
    { "Homa", LEAF_SPINE HOMA TRAFFIC MIX("60%") INCAST("12", "100 KB", "10%") RUN("250 us") },
    { "Homa of SIRD's evaluation, of which WKa's",
      LEAF_SPINE "protocol: {name: homa, preset: sird-wka}\n" TRAFFIC MIX("70%") RUN("200 us") },
    { "Homa with three levels, grants of three packets, and every message asking, on fixed paths", FAT_TREE
      "protocol: {name: homa, priorities: 3, unsched_levels: 1, overcommit: 2, grant: 3, unsched_max: 0 B, window: 20 "
      "KB}\n"
      "fabric: {priorities: 3, routing: ecmp}\nhost: {nic_queue: unlimited}\n" TRAFFIC MIX("60%") RUN("300 us") },
    { "Homa with messages in turn and boosted tails at 56 Gbps",
      CHAIN "protocol: {name: homa, sender_policy: round-robin, boost_tail: 10 KB, cutoffs: [900 B, 3 KB, 20 KB], "
            "loss_timeout: off}\n" TRAFFIC MIX("40%") RUN("2 ms") },
    { "Homa in buffers that overflow",
      LEAF_SPINE "protocol: {name: homa, loss_timeout: 60 us}\n"
                 "fabric: {buffer: 60 KB}\n" TRAFFIC MIX("60%") INCAST("12", "100 KB", "15%") RUN("600 us") },
    { "Homa to the last message, losing packets",
      STAR "protocol: {name: homa, overcommit: 2, loss_timeout: 60 us}\nfabric: {loss: 2%}\n" TRAFFIC PERM("300 KB")
          RUN_ALL },
    { "NDP to the last message, losing packets",
      STAR "protocol: {name: ndp, loss_timeout: 60 us}\nfabric: {loss: 2%}\n" TRAFFIC PERM("300 KB") RUN_ALL },
    { "dcPIM", LEAF_SPINE DCPIM TRAFFIC MIX("60%") RUN("250 us") },
    { "dcPIM as in SIRD's evaluation, under incast", LEAF_SPINE
      "protocol: {name: dcpim, preset: sird}\n" TRAFFIC MIX("60%") INCAST("12", "500 KB", "10%") RUN("400 us") },
    { "dcPIM with priorities by size, in buffers that overflow",
      FAT_TREE "protocol: {name: dcpim, preset: published, loss_timeout: 60 us}\n"
               "fabric: {port_buffer: 30 KB}\n" TRAFFIC MIX("60%") INCAST("12", "100 KB", "15%") RUN("600 us") },
    { "dcPIM with a pause between epochs on fixed paths, NICs unlimited",
      CHAIN "protocol: {name: dcpim, alpha: 1.7, rounds: 3, channels: 2, control_rtt: 20 us}\n"
            "host: {nic_queue: unlimited}\nfabric: {routing: ecmp}\n" TRAFFIC MIX("40%") RUN("2 ms") },
    { "dcPIM to the last message, losing packets, without prompt channels", STAR
      "protocol: {name: dcpim, channels: 2, prompt: false, loss_timeout: 60 us}\nfabric: {loss: 2%}\n" TRAFFIC PERM(
          "300 KB") RUN_ALL },
    { "Swift, whose ACKs leave telemetry out",
      LEAF_SPINE "protocol: {name: swift}\nfabric: {int: data}\n" TRAFFIC MIX("60%") RUN("250 us") },
    /* credit that ports hold back */
    { "ExpressPass", LEAF_SPINE XPASS TRAFFIC MIX("60%") RUN("300 us") },
    { "ExpressPass as in SIRD's runs, with incasts",
      FAT_TREE "protocol: {name: expresspass, preset: sird, connections: 3}\n" TRAFFIC MIX("40%")
          INCAST("12", "100 KB", "15%") RUN("300 us") },
    { "ExpressPass whose connections wait for replies", LEAF_SPINE
      "protocol: {name: expresspass, preset: sird, connections: 2}\n" TRAFFIC
      "  - {kind: poisson, sizes: wka, load: 70%, reply: 4 B}\n  - {kind: poisson, sizes: wkb, load: 20%}\n" RUN(
          "300 us") },
    { "ExpressPass whose connections wait for replies, losing packets", STAR
      "protocol: {name: expresspass, connections: 1, wait_reply: true, idle_timeout: 60 us, request_timeout: 30 us}\n"
      "fabric: {loss: 2%, buffer: 100 KB}\n" TRAFFIC
      "  - {kind: poisson, sizes: 5 KB, load: 60%, reply: 3 KB, stop: 300 us}\n" RUN_ALL },
    { "ExpressPass at 56 Gbps in three classes, through a narrow gate",
      CHAIN "protocol: {name: expresspass, early_stop: false, alpha: 0.5}\n"
            "fabric: {priorities: 3, credit_gate: {data: 3000 B, depth: 100 B, queue: 400 B}}\n" TRAFFIC MIX("40%")
                RUN("2 ms") },
    { "ExpressPass to the last message, losing packets in small buffers",
      STAR "protocol: {name: expresspass, idle_timeout: 60 us, request_timeout: 30 us}\n"
           "fabric: {loss: 2%, buffer: 100 KB}\n" TRAFFIC PERM("300 KB") RUN_ALL },
    { "ExpressPass and CoDel, which drops credit that waits, and cables that go down", LEAF_SPINE
      "protocol: {name: expresspass, request_timeout: 30 us, alpha: 0.5}\n"
      "fabric: {codel: {variant: p4, target: 300 ns, interval: 600 ns, at: all}, reroute_delay: 20 us, events: [{at: "
      "60 "
      "us, "
      "link: leaf 0 - spine 0, action: down}, {at: 140 us, link: leaf 0 - spine 0, action: up}, {at: 90 us, link: host "
      "0 - leaf 0, action: down}, {at: 130 us, link: host 0 - leaf 0, action: up}]}\n" TRAFFIC MIX("60%")
          RUN("300 us") },
    /* queueing delays in data, and queues in turn */
    { "Soze", LEAF_SPINE SOZE TRAFFIC MIX("60%") RUN("250 us") },
    { "Soze, unfiltered, at 56 Gbps", CHAIN SOZE "fabric: {maxqd: {filter: 0 us}}\n" TRAFFIC MIX("40%") RUN("2 ms") },
    { "Soze in two classes, losing packets",
      FAT_TREE SOZE "host: {data_class: 1, " SOON
                    "}\nfabric: {priorities: 2, loss: 0.5%, maxqd: {unit: 64 ns}}\n" TRAFFIC MIX("50%") RUN("300 us") },
    { "Soze, with delays beyond the field while the run ends", STAR SOZE
      "fabric: {maxqd: {unit: 400 ps}}\n" TRAFFIC
      "  - {kind: incast, fan_in: 7, size: 200 KB, load: 90%}\nrun: {warmup: 0 us, measure: 2 ms, seed: 11}\n" },
    { "Soze served flow by flow", LEAF_SPINE SOZE "fabric: {queues: per-flow}\n" TRAFFIC MIX("60%") RUN("250 us") },
    { "Soze, paced, with gains that grow",
      FAT_TREE "protocol: {name: soze, preset: network, patience: 1, p: 60 us}\nhost: {nic_queue: unlimited}\n"
               "fabric: {priorities: 2, maxqd: {at: all}}\n" TRAFFIC PERM("2 MB") MIX("40%") RUN("300 us") },
    { "Soze from its weighted shares on, with weights that change",
      FAT_TREE SOZE TRAFFIC "  - {kind: pairs, count: 24, size: 1 GB, weights: 1..8, changes: 50%, change_at: 150 us}\n"
                            "run: {warmup: 50 us, measure: 250 us, seed: 11, start: allocation}\n" },
    { "RCP", LEAF_SPINE "protocol: {name: rcp}\n" TRAFFIC MIX("50%") INCAST("12", "100 KB", "10%") RUN("300 us") },
    { "RCP with several steps per round trip in two classes, losing packets, while a cable is down", LEAF_SPINE
      "protocol: {name: rcp, preset: module}\nhost: {data_class: 1, " SOON
      "}\nfabric: {priorities: 2, loss: 0.5%, buffer: 100 KB, rcp: {period: 700 ns, floor: 1}, events: [{at: "
      "100 us, link: leaf 0 - spine 1, action: down}, {at: 160 us, link: leaf 0 - spine 1, action: up}]}\n" TRAFFIC MIX(
          "50%") INCAST("12", "100 KB", "15%") RUN("300 us") },
    { "AIMD served flow by flow",
      LEAF_SPINE AIMD "fabric: {queues: per-flow}\n" TRAFFIC MIX("60%") INCAST("12", "100 KB", "15%") RUN("250 us") },
    { "AIMD served flow by flow, in buffers that overflow, while a cable is down", LEAF_SPINE AIMD HURRY
      "fabric: {queues: per-flow, buffer: 60 KB, events: [{at: 100 us, link: leaf 0 - spine 1, action: down}, {at: 160 "
      "us, link: leaf 0 - spine 1, action: up}]}\n" TRAFFIC MIX("50%") INCAST("12", "100 KB", "15%") RUN("300 us") },
    { "DCTCP in two groups at 56 Gbps",
      CHAIN DCTCP "fabric: {queues: {kind: groups, groups: 2, weights: [3, 1]}}\n" TRAFFIC MIX("40%") RUN("2 ms") },
    /* six rules that drop or lose packets, doc/model.md [causes] */
    { "ports, alpha, CoDel and loss, and a leaf whose cables are all down",
      LEAF_SPINE "protocol: newreno\nhost: {data_class: 1}\nfabric: {priorities: 2, buffer: 150 KB, alpha: 1, "
                 "port_buffer: 60 KB, loss: 0.1%, "
                 "codel: {variant: rfc8289, target: 1 us, interval: 4 us}, reroute_delay: 10 us, events: [{at: 120 us, "
                 "link: leaf 0 - spine 0, "
                 "action: down}, {at: 125 us, link: leaf 0 - spine 1, action: down}, {at: 180 us, link: leaf 0 - spine "
                 "1, action: up}]}\n" TRAFFIC MIX("60%") INCAST("12", "100 KB", "15%") RUN("300 us") },
    /* between two rounds and at the end nothing happens for long, and samples are a number */
    { "idle", LEAF_SPINE DCTCP TRAFFIC ROUNDS IDLE },
    { "sampled to the end",
      LEAF_SPINE DCTCP "fabric: {ecn: {threshold: 60 KB}}\n" TRAFFIC ROUNDS INCAST_ONCE SAMPLED_ALL },
    { "sampled to the end, coupled", LEAF_SPINE DCTCP "fabric: {codel: p4}\n" TRAFFIC ROUNDS INCAST_ONCE SAMPLED_ALL },
    { "idle, to the last message", LEAF_SPINE DCTCP TRAFFIC ROUNDS IDLE_ALL },
    { "idle, in two classes", FAT_TREE DCTCP "host: {data_class: 1}\nfabric: {priorities: 2}\n" TRAFFIC ROUNDS IDLE },
    { "idle, in three classes, while a cable is down",
      LEAF_SPINE DCTCP "host: {data_class: 2, " SOON "}\nfabric: {priorities: 3, reroute_delay: 10 us, events: [{at: 5 "
                       "us, link: leaf 0 - spine 1, action: down}, {at: 2500 us, link: leaf 0 - spine 1, action: "
                       "up}]}\n" TRAFFIC ROUNDS IDLE },
    { "packets that wait for a cable for long, while nothing else happens", STAR NONE
      "fabric: {events: [{at: 3 us, link: host 3 - switch 0, action: down, queue: wait}, {at: 1500 us, link: host 3 - "
      "switch 0, action: "
      "up}]}\n" TRAFFIC PERM("1460 B") "  - {kind: permutation, size: 1460 B, start: 10 us}\n"
                                       "run: {warmup: 0 us, measure: 4 ms, seed: 11}\n" },
    { "packets that wait for ever, the last of which joins them after the last delivery", STAR NONE
      "fabric: {events: [{at: 3 us, link: host 3 - switch 0, action: down, queue: wait}]}\n" TRAFFIC
      "  - {kind: poisson, sizes: 1460 B, load: 2%, stop: 2 ms}\nrun: {warmup: 0 us, measure: all, seed: 8}\n" },
    { "endless flows whose least rates fill a queue",
      CHAIN "protocol: {name: timely, min_rate: 4 Gbps}\n" TRAFFIC PERM("1 TB") RUN("400 us") },
    { "endless flows whose queue is full",
      CHAIN DCTCP "fabric: {buffer: 100 KB}\n" TRAFFIC PERM("1 TB") RUN("400 us") },
    { "idle, CoDel",
      LEAF_SPINE DCTCP "fabric: {codel: {variant: rfc8289, target: 1 us, interval: 4 us}}\n" TRAFFIC ROUNDS IDLE },
    { "idle, SIRD", LEAF_SPINE SIRD TRAFFIC ROUNDS IDLE },
    { "idle, SIRD, to the last message", LEAF_SPINE SIRD TRAFFIC ROUNDS IDLE_ALL },
    { "idle, HPCC with PFC", LEAF_SPINE
      "protocol: hpcc\nfabric: {buffer: 8 MB, pfc: {kind: static, xoff: 20 KB}}\n" TRAFFIC ROUNDS INCAST_ONCE IDLE },
    { "idle, RoCC", LEAF_SPINE "protocol: rocc\n" TRAFFIC ROUNDS INCAST_ONCE IDLE },
    { "idle, RCP, to the last message", LEAF_SPINE "protocol: rcp\n" TRAFFIC ROUNDS INCAST_ONCE IDLE_ALL },
    { "all at once", LEAF_SPINE DCTCP
      "host: {nic_queue: unlimited, data_class: 1, ack_every: 2, connections: 3, " SOON
      "}\nfabric: {priorities: 3, routing: "
      "spray, " DROPPY ", alpha: 1, loss: 0.1%, reroute_delay: 10 us, events: [{at: 100 us, link: leaf 1 - spine 0, "
      "action: down}, {at: 220 us, "
      "link: leaf 1 - spine 0, action: up}]}\n" TRAFFIC MIX("60%") INCAST("10", "80 KB", "10%") RUN("300 us") },
    { "all at once to the last message", CHAIN DCTCP
      "host: {data_class: 1, ack_every: 2, " SOON "}\nfabric: {priorities: 2, " DROPPY
      ", loss: 0.1%, events: [{at: 100 us, link: switch 0 - "
      "switch 1, action: down}, {at: 220 us, link: switch 0 - switch 1, action: up}]}\n" TRAFFIC PERM("1 MB") RUN_ALL },
};
#endif
