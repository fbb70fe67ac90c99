#!/usr/bin/env bash
# A keyword pass over one corpus by papertwin (reading and writing included) and by scikit-learn (reading left out), in
# turn. Usage: keywords.sh PAPERTWIN PYTHON CORPUS.jsonl [ROUNDS]
set -eu
papertwin=$1 python=$2 corpus=$3 rounds=${4:-3}
here=$(dirname "$0")
TIMEFORMAT='papertwin: %R s wall, %U s user, %S s system'
for _ in $(seq "$rounds"); do
    time "$papertwin" --quiet keywords "$corpus" -k 10 > /dev/null
    "$python" "$here/keywords.py" "$corpus"
done
