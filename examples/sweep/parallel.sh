#!/bin/sh
# examples/sweep/parallel.sh - a sweep by GNU parallel, on this machine or on several (add --sshlogin). Run it again to go on.
# usage: parallel.sh FILE.yaml
set -u
sweep=$1
name=$(basename "$sweep" .yaml)
mkdir -p shards
# Status 75 says that the same command may do better later.
weir sweep "$sweep" --list | cut -d' ' -f1 |
    parallel --retries 3 --joblog "$name.log" weir sweep "$sweep" --point {} --jobs 1 -o "shards/$name-{}.db"
weir merge "$name.db" shards/"$name"-*.db && weir status "$sweep" -o "$name.db"
