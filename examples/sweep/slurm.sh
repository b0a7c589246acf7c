#!/bin/sh
#SBATCH --array=1-18
#SBATCH --ntasks=1
#SBATCH --time=00:10:00
# examples/sweep/slurm.sh - a sweep as a Slurm array: each task runs the point of its number into a file of its own.
#   sbatch --array="1-$(weir sweep marking.yaml --list | wc -l)" slurm.sh marking.yaml
#   weir status marking.yaml shards/marking-*.db      # which are left, as numbers for --array
#   weir merge marking.db shards/marking-*.db
set -u
sweep=$1
mkdir -p shards
weir sweep "$sweep" --point "$SLURM_ARRAY_TASK_ID" --jobs 1 -o "shards/$(basename "$sweep" .yaml)-$SLURM_ARRAY_TASK_ID.db"
status=$?
# Status 75 says that the same command may do better later. Not for ever: a run that needs more memory than there is ends so each time.
[ $status -ne 75 ] || [ "${SLURM_RESTART_COUNT:-0}" -ge 5 ] || scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
exit $status
