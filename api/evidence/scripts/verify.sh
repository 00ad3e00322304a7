#!/bin/bash
# verify.sh BUNDLE: exit 0 if every entry shown in the folder is in the signed log, else 1.
# Takes bash, coreutils, findutils, sed, grep, awk, xxd and openssl >= 3; for witnesses, drafts and
# checkpoints that you kept see verify.py.
set -euo pipefail; export LC_ALL=C; cd "$1"; t=$(mktemp -d); trap 'rm -rf "$t"' EXIT
die() { echo "FAIL: $*"; exit 1; }
sum() { sha256sum | cut -c1-64; }
! grep -qvE '^[0-9a-f]{64}  [^ ]+$' MANIFEST.sha256 || die "MANIFEST.sha256 is malformed"
find . -type f ! -path './disclosures/*' ! -name MANIFEST.sha256 | cut -c3- | sort | cmp -s - <(cut -c67- MANIFEST.sha256 | sort) ||
  die "files and MANIFEST.sha256 differ"
sha256sum --quiet --strict -c MANIFEST.sha256 || die "a file differs from MANIFEST.sha256"
origin=$(sed -n 1p checkpoint); size=$(sed -n 2p checkpoint); root=$(sed -n 3p checkpoint | base64 -d | xxd -p -c 64)
head -n 3 checkpoint >"$t/body"
openssl pkey -pubin -in log.pub.pem -outform DER | tail -c 32 >"$t/pub"
kid=$( (printf '%s\n\001' "$origin"; cat "$t/pub") | sum | cut -c1-8)
sed 1,4d checkpoint | awk -v o="$origin" '$2==o{print $3}' | while read -r s; do
  echo "$s" | base64 -d >"$t/line"; [ "$(head -c 4 "$t/line" | xxd -p)" = "$kid" ] && tail -c +5 "$t/line" >"$t/sig"; done || true
[ -s "$t/sig" ] || die "no signature by $origin+$kid"
openssl pkeyutl -verify -pubin -inkey log.pub.pem -rawin -in "$t/body" -sigfile "$t/sig" >/dev/null || die "checkpoint signature"
[ "$(cat log.vkey)" = "$origin+$kid+$( (printf '\001'; cat "$t/pub") | base64 -w 0)" ] || die "log.vkey is another key"
echo "signed by $origin+$kid, $size entries; compare with the key published for this log: $(cat log.vkey)"
seen=""
for i in $({ ls entries withheld 2>/dev/null || true; } | grep -o '^[0-9]*' | sort -n); do
  p=proofs/$i.tlog-proof
  [ "$(head -n 1 "$p")" = c2sp.org/tlog-proof@v1 ] || die "$p: unknown format"
  sed '1,/^$/d' "$p" | cmp -s - checkpoint || die "$p holds another checkpoint"
  grep -qx "index $i" "$p" || die "$p holds another index"
  if [ -f "entries/$i.json" ]; then x=$( (printf '\0'; cat "entries/$i.json") | sum)
    prev=$(grep -o '"prev":[^,}]*' "entries/$i.json" | cut -d: -f2 | tr -d '"')
    [ "$prev" = null ] || case "$seen" in *" $prev"*) ;; *) die "entry $i follows an entry that is not in this bundle";; esac
  else x=$(tr -d '\n' <"withheld/$i"); fi
  seen="$seen $x"; f=$i; s=$((size - 1)); [ "$i" -lt "$size" ] || die "index $i"
  for c in $(awk '/^$/{exit} NR>1 && !/^(index|extra) /' "$p"); do
    c=$(echo "$c" | base64 -d | xxd -p -c 64); [ "$s" -gt 0 ] || die "proof $i is too long"
    if [ $((f & 1)) = 1 ] || [ "$f" = "$s" ]; then x=$(echo "01$c$x" | xxd -r -p | sum)
      while [ $((f & 1)) = 0 ] && [ "$f" != 0 ]; do f=$((f >> 1)); s=$((s >> 1)); done
    else x=$(echo "01$x$c" | xxd -r -p | sum); fi
    f=$((f >> 1)); s=$((s >> 1)); done
  [ "$s" = 0 ] && [ "$x" = "$root" ] || die "entry $i is not in the tree"
done
for d in disclosures/*.json; do [ -e "$d" ] || continue; h=$(basename "$d" .json)
  [ "$(sum <"$d")" = "$h" ] && { cat entries/*.json parked/*.json 2>/dev/null || true; } | grep -F "\"sd\":\"$h\"" >"$t/sd" || die "$d is not committed to by an entry"; done
echo "OK: $(ls entries | wc -l) entries shown; the rest of what is proved stands in README"
