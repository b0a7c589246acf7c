#!/bin/sh
# test/cli/switch_command.sh - what `weir switch` refuses before it asks the kernel: command lines, and scenarios that no switch in the
# kernel can be. Needs no root.
# usage: switch_command.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

refuse() { # refuse SENTENCE ARGS..
    sentence=$1
    shift
    run 2 switch "$@"
    says err "$sentence"
}

file() { # file SECTION-SWITCH [FABRIC]: net.yaml, three hosts at one switch
    cat >net.yaml <<END
topology: {kind: star, hosts: 3, host_link: 100 Mbps}
protocol: dctcp
fabric: {port_buffer: 1 MB, ecn: 30 KB${2:-}}
switch: $1
END
}

refuse 'switch: start, status, stop or clean?'
refuse "switch: what is 'strat'?" strat
says err "'start'"
refuse 'switch start: which scenario?' start
refuse 'start: cannot be read' start start
refuse 'b.yaml: one argument too many' start a.yaml b.yaml
refuse 'stop: one argument too many' status stop
refuse '--engine users: no such engine' start a.yaml --engine users
refuse 'switch start: --pcap is for start with --engine user' start a.yaml --pcap a.pcapng
refuse 'switch start: --snaplen is for a capture, and there is no --pcap' start a.yaml --engine user --snaplen 64
refuse '--snaplen = 63: must be 64 to 65535' start a.yaml --engine user --pcap a.pcapng --snaplen 63
refuse 'switch stop: --foreground is for start with --engine user' stop --foreground
refuse 'switch stop: --json is for status' stop --json
refuse 'switch stop: --engine and --set are for start' stop --engine kernel

good='{ports: {host 0: nodev0, host 1: nodev1, host 2: nodev2}}'
file "$good"
cp net.yaml fine.yaml
refuse 'host 3 has no device' start fine.yaml --set topology.hosts=4
refuse 'hosts; a switch in the kernel has at most 32 ports' start fine.yaml --set topology.hosts=33
refuse 'switches; a switch in the kernel is one' start fine.yaml --set topology.kind=dumbbell
refuse 'feature pfc is on, and no switch in the kernel has it' start fine.yaml --set fabric.pfc.kind=static
refuse 'feature priorities is on' start fine.yaml --set fabric.priorities=2
refuse 'fabric.alpha: queues in the kernel share no memory' start fine.yaml --set fabric.alpha=1 --set fabric.buffer=4MB
refuse 'a queue in the kernel has a limit, of 2 GB at most' start fine.yaml --set fabric.port_buffer=unlimited
run 2 run fine.yaml
says err 'traffic: at least one item is needed'

file '{ports: {host 0: a, host 1: b, host 3: c}}'
refuse "net.yaml:4:40: switch: no host is called 'host 3'" start net.yaml
file '{ports: {host 0: a, host 1: b}}'
refuse 'switch.ports: host 2 has no device' start net.yaml
file '{ports: {host 0: a, host 1: b, host 2: a-name-of-17-bytes}}'
refuse "switch.ports: 'a-name-of-17-bytes' is no name of a network device" start net.yaml
file '{ports: {host 0: a, host 1: b, host 2: c}, addresses: {host 0: 10.0.0.1, host 1: 10.0.0.2}}'
refuse 'switch.addresses: host 2 has none' start net.yaml
file '{ports: {host 0: a, host 1: b, host 2: c}, addresses: {host 0: 10.0.0.1, host 1: 10.0.0.2, host 2: 10.0.0.2}}'
refuse 'switch.addresses: host 1 and host 2 have the same' start net.yaml
file '{ports: {host 0: a, host 1: b, host 2: c}, addresses: {host 0: "fd00::1"}}'
refuse "switch.addresses: 'fd00::1' is no IPv4 address" start net.yaml
file '[a, b]'
refuse 'switch: a map belongs here, not a list' start net.yaml
file '{ports: [a, b]}'
refuse 'switch.ports: a map of hosts belongs here, not a list' start net.yaml
file '{ports: {host 0: [a]}}'
refuse 'switch.ports: a single value belongs here, not a list' start net.yaml
for wrong in "x: not a whole number" "65536: must be 0 to 65535" "-1: must not be negative"; do
    file "{ports: {host 0: a, host 1: b, host 2: c}, udp_port: ${wrong%%:*}}"
    refuse "udp_port = $wrong" start net.yaml
done
# of a switch in user space, before a device is looked at
file '{ports: {host 0: a, host 1: b, host 2: c}, addresses: {host 0: 10.0.0.1, host 1: 10.0.0.2, host 2: 10.0.0.2}}'
refuse 'switch.addresses: host 1 and host 2 have the same' start net.yaml --engine user
file '{ports: {host 0: a, host 1: b}}'
refuse 'switch.ports: host 2 has no device' start net.yaml --engine user
file '{ports: {host 0: a, host 1: b, host 2: c}, addresses: {host 0: 10.0.0.1, host 1: 10.0.0.2, host 2: here}}'
refuse "switch.addresses: 'here' is no address of IP" start net.yaml --engine user
printf 'topology: {kind: star, hosts: 2, host_link: 10 Gbps}\nprotocol: rcp\nswitch: {}\n' >rcp.yaml
refuse 'rcp' start rcp.yaml --engine user
printf '%s\n' 'defaults: {rate: 100 Mbps, delay: 1 us}' 'hosts: [a, b]' 'switches: [s, t]' \
    'cables: [{a: a, b: s}, {a: a, b: t}, {a: b, b: t}, {a: s, b: t}]' >two-net.yaml
printf 'topology: {kind: file, file: two-net.yaml}\nprotocol: cubic\nswitch: {}\n' >two.yaml
refuse 'a has 2 cables, and a switch of real frames needs one per host' start two.yaml --engine user
printf '%s\n' 'defaults: {rate: 100 Mbps, delay: 1 us}' 'hosts: [a, b]' 'cables: [{a: a, b: b}]' >two-net.yaml
refuse 'a has a cable to a host, and a switch of real frames needs one to a switch' start two.yaml --engine user
printf '%s\n' 'defaults: {rate: 100 Mbps, delay: 1 us}' 'hosts: [a, b]' 'switches: [s]' \
    'cables: [{a: a, b: s}, {a: a, b: s}, {a: b, b: s}]' >two-net.yaml
refuse 'hosts have several cables; a switch in the kernel has one to each host' start two.yaml

file '{ports: {host 0: a, host 1: b, host 2: c}, udp_port: [1, 2]}'
refuse 'udp_port: a single value belongs here, not a list' start net.yaml
file '{prots: {host 0: a}}'
refuse "ports" start net.yaml
sed '/^switch/d' fine.yaml >net.yaml
echo 'traffic: [{kind: permutation, size: 1 KB}]' >>net.yaml
refuse 'switch: the section is missing' start net.yaml
cat fine.yaml net.yaml | grep -v '^$' | awk '!seen[$0]++' >both.yaml
run 0 run both.yaml --set run.measure=100us --set run.warmup=0us

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ] && [ "$checks" -ge 50 ]
