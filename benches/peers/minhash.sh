#!/usr/bin/env bash
# MinHash candidates of one corpus by papertwin, datasketch and rensa: 128 components, 16 bands, word 3-shingles, one thread.
# Prints one JSON line a program and then the ratios of time and memory.
#
# usage: minhash.sh PAPERTWIN PYTHON PEERS.py CORPUS.jsonl[.gz]
#   PAPERTWIN  the program, built with --release
#   PYTHON     a Python that has datasketch and rensa
#   PEERS.py   runs a peer: PEERS.py CORPUS.jsonl --peer datasketch|rensa
# Our seconds hold signatures, index and candidates. The peers' hold the hashing of their shingles too, so our cutting of
# texts into hashed shingles (more work: the peers' texts are cut before their clock starts) is added for the second ratio.
set -eu
[ $# -eq 4 ] || { sed -n '5,9p' "$0" >&2; exit 2; }
papertwin=$1 python=$2 peers=$3 corpus=$4
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
case $corpus in
    *.gz) gzip -dc "$corpus" > "$folder/corpus.jsonl" ;;
    *) cp "$corpus" "$folder/corpus.jsonl" ;;
esac
corpus=$folder/corpus.jsonl
for family in rounds one-permutation universal; do
    "$papertwin" lab candidates "$corpus" --threads 1 --quiet --words regex --family $family | tee "$folder/$family.json"
done
export OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1
for peer in datasketch rensa; do
    "$python" "$peers" "$corpus" --peer $peer | tee "$folder/$peer.json"
done
"$python" - "$folder" <<'PY'
import json, sys
read = lambda name: json.load(open(f"{sys.argv[1]}/{name}.json"))
print("family,peer,times_as_fast,times_as_fast_with_cutting,share_of_memory")
for family in ["rounds", "one-permutation", "universal"]:
    ours = read(family)
    for peer in ["datasketch", "rensa"]:
        other = read(peer)
        whole = ours["seconds"] + ours["cut_seconds"]
        print(f"{family},{peer},{other['seconds'] / ours['seconds']:.1f},{other['seconds'] / whole:.1f},"
              f"{ours['peak_rss_mib'] / other['peak_rss_mib']:.3f}")
PY
