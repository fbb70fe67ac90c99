#!/usr/bin/env python3
"""Precision and recall of found clusters by pair, against the labels and against a DOI that no method was shown.

The labels of a set that was made from shared DOIs have holes: a DOI that one database lacks, or writes in another way,
makes no label. A found pair without a label is right if the normalised `doi_hidden` of both is the same, wrong if both
have one and they differ, and unknown if one has none.
Usage: hidden_doi.py SET.jsonl.gz SET.pairs.csv.gz REPORT.csv (columns id and cluster)
"""
import collections, csv, gzip, itertools, json, re, sys

with gzip.open(sys.argv[1], "rt", encoding="utf-8") as lines:
    hidden = {r["id"]: (r.get("doi_hidden") or "").strip().lower() for r in map(json.loads, lines)}
hidden = {x: re.sub(r"^.*?(10\.)", r"\1", doi).rstrip(".") for x, doi in hidden.items()}
parent = {x: x for x in hidden}


def find(x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


with gzip.open(sys.argv[2], "rt", encoding="utf-8", newline="") as lines:
    for row in csv.DictReader(lines):
        if row.get("label", "1") in ("1", "true", ""):
            parent[find(row["id_a"])] = find(row["id_b"])
found = collections.defaultdict(set)
with open(sys.argv[3], encoding="utf-8", newline="") as lines:
    for row in csv.DictReader(lines):
        if row["id"] in hidden:
            found[row["cluster"]].add(row["id"])
groups = collections.defaultdict(set)
for x in hidden:
    groups[find(x)].add(x)
true = {p for members in groups.values() for p in itertools.combinations(sorted(members), 2)}
pairs = {p for members in found.values() for p in itertools.combinations(sorted(members), 2)}
hit, unlabelled = len(pairs & true), pairs - true
same = sum(hidden[a] != "" and hidden[a] == hidden[b] for a, b in unlabelled)
unknown = sum(not hidden[a] or not hidden[b] for a, b in unlabelled)
print(f"labels: precision {hit / len(pairs):.6f} recall {hit / len(true):.6f}; {len(unlabelled)} pairs without a label: "
      f"{same} have one DOI, {unknown} lack one, {len(unlabelled) - same - unknown} have two; "
      f"by the DOI: precision {(hit + same) / (len(pairs) - unknown):.6f}")
