#!/usr/bin/env bash
# MinHash candidates of one corpus by papertwin, datasketch and rensa: 128 components, 16 bands, word 3-shingles, one thread.
#
# usage: minhash.sh PAPERTWIN PYTHON PEERS.py CORPUS.jsonl[.gz]
#   PAPERTWIN  the program, built with --release
#   PYTHON     a Python that has datasketch and rensa
#   PEERS.py   runs a peer: PEERS.py CORPUS.jsonl --peer datasketch|rensa
#
# Two clocks:
#   words    starts when every document has been cut into lower-cased words (ours) or into the strings of its shingles (the
#            peers: their strings are joined before their clock starts), all in memory; ends with the candidate pairs. Holds
#            the hashing of words and shingles, signatures, index and candidates.
#   whole    the whole program from the file on, reading and cutting included, wall time.
# Each program runs three times (datasketch once); the least time of each counts, since other work on the machine only adds.
# Prints one JSON line a run, then the ratios of time and of peak memory.
set -eu
[ $# -eq 4 ] || { sed -n '4,7p' "$0" >&2; exit 2; }
papertwin=$1 python=$2 peers=$3 corpus=$4
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
case $corpus in
    *.gz) gzip -dc "$corpus" > "$folder/corpus.jsonl" ;;
    *) cp "$corpus" "$folder/corpus.jsonl" ;;
esac
corpus=$folder/corpus.jsonl
export OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1
# Runs a program, adds the wall seconds of the whole to its line.
timed() {
    local name=$1 start end
    shift
    start=$(date +%s.%N)
    "$@" > "$folder/line"
    end=$(date +%s.%N)
    "$python" -c 'import json, sys
line = json.load(open(sys.argv[1])); line["program"] = sys.argv[2]; line["whole_seconds"] = round(float(sys.argv[4]) - float(sys.argv[3]), 3)
print(json.dumps(line))' "$folder/line" "$name" "$start" "$end" | tee -a "$folder/runs"
}
for turn in 1 2 3; do
    for family in rounds one-permutation universal; do
        timed $family "$papertwin" lab candidates "$corpus" --threads 1 --quiet --words regex --family $family
    done
    timed rensa "$python" "$peers" "$corpus" --peer rensa
done
timed datasketch "$python" "$peers" "$corpus" --peer datasketch
"$python" - "$folder/runs" <<'PY'
import json, sys
runs = {}
for line in map(json.loads, open(sys.argv[1])):
    runs.setdefault(line["program"], []).append(line)
least = lambda name, key: min(run[key] for run in runs[name])
print("family,peer,times_as_fast_from_words,times_as_fast_whole,share_of_memory")
for ours in ["rounds", "one-permutation", "universal"]:
    for peer in ["datasketch", "rensa"]:
        ratio = lambda key: least(peer, key) / least(ours, key)
        print(f"{ours},{peer},{ratio('seconds'):.2f},{ratio('whole_seconds'):.1f},{1 / ratio('peak_rss_mib'):.3f}")
PY
