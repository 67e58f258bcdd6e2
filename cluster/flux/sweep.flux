#!/bin/bash
# A sweep under Flux: replace each word between two @, and give the file to flux batch.
# flux: --job-name=@NAME@
# flux: --nodes=@NODES@
# flux: --exclusive
# flux: --time-limit=@TIME@
# flux: --output=@FOLDER@/job-{{id}}.out

# @SECONDS@ is the job's time less two minutes. flux run forwards the signal to the ranks, for which Open MPI must be
# built with PMI. A job that leaves points undone submits the next job to the instance around its own (--parent).
timeout --foreground --preserve-status --signal=USR1 @SECONDS@ \
    flux run --nodes=@NODES@ --ntasks=@RANKS@ "@PROGRAM@" sweep run "@STUDY@" --out "@FOLDER@" --no-wait --progress none
code=$?
if [ $code = 75 ]; then # stopped at checkpoints
    flux --parent batch "@FOLDER@/sweep.flux"
fi
exit $code
