#!/bin/bash
# verify.sh BUNDLE: exit 0 if every entry shown in the folder is in the signed log, else 1.
# Takes bash >= 4.3, coreutils, xxd and openssl >= 3, and nothing else. For witnesses, for what tablets
# signed and for checkpoints that you kept see verify.py.
set -euo pipefail; export LC_ALL=C; unset CDPATH; shopt -s nullglob dotglob globstar
die() { echo "FAIL: $*"; exit 1; }
sum() { local x; x=$(sha256sum); echo "${x:0:64}"; }
hex() { base64 -d <<<"$1" 2>/dev/null | xxd -p -c 64; }
read_text() { text=; ! IFS= read -r -d '' text <"$1" || die "$1 holds a zero byte"; }
# Of thousands of files at once: a process for each would take minutes.
sums() { local at; for ((at = 1; at <= $#; at += 4096)); do sha256sum -- "${@:at:4096}"; done; }
is_hash() { [[ $1 =~ ^[0-9a-f]{64}$ ]]; }
is_number() { [[ $1 =~ ^(0|[1-9][0-9]{0,17})$ ]]; }
cd -- "${1:?which folder?}"; t=$(mktemp -d); trap 'rm -rf "$t"' EXIT

# Every file is listed and as it was; nothing else is there, and nothing that is no file.
[ -f MANIFEST.sha256 ] || die "there is no MANIFEST.sha256"
known='^(README|bundle\.json|case\.html|checkpoint(\.tsr)?|consistency|log\.(vkey|pub\.pem)|policy|tsa\.pem|verify\.(py|sh)|(devices|drafts|entries|files|parked|proofs|withheld)/[^/]+)$'
declare -A listed; length=0
while IFS= read -r line; do
  [[ $line =~ ^[0-9a-f]{64}\ \ [[:graph:]]+$ ]] || die "MANIFEST.sha256 is malformed: ${line@Q}"
  [ -z "${listed[${line:66}]:-}" ] || die "${line:66} stands twice in MANIFEST.sha256"
  listed[${line:66}]=1; length=$((length + ${#line} + 1))
done <MANIFEST.sha256
[ "$(wc -c <MANIFEST.sha256)" -eq "$length" ] || die "MANIFEST.sha256 is malformed or cut off"
for f in **; do
  [ ! -L "$f" ] || die "${f@Q} is a link, and no file"
  if [ -d "$f" ]; then
    inside=("$f"/*)
    [[ ${#inside[@]} -gt 0 || $f =~ ^(entries|withheld|proofs|disclosures|unsealed)$ ]] || die "the folder ${f@Q} belongs to no bundle"
  elif [ ! -f "$f" ]; then die "${f@Q} is no file"
  elif [[ $f = disclosures/* ]]; then [[ $f =~ ^disclosures/[0-9a-f]{64}\.json$ ]] || die "${f@Q} is no disclosure"
  elif [[ $f = unsealed/* ]]; then [[ $f =~ ^unsealed/[0-9]+\.json$ ]] || die "${f@Q} is no entry"
  elif [ "$f" != MANIFEST.sha256 ]; then
    [[ $f =~ $known ]] || die "${f@Q} belongs to no bundle"
    [ -n "${listed[$f]:-}" ] || die "${f@Q} is not listed in MANIFEST.sha256"
  fi
done
for f in "${!listed[@]}"; do [ -f "$f" ] || die "${f@Q} is missing"; done
sha256sum --quiet --strict -c MANIFEST.sha256 2>&1 || die "a file differs from MANIFEST.sha256"
shown=(disclosures/*)
[ "${#shown[@]}" -eq 0 ] || sha256sum -- "${shown[@]}" >"$t/sums"
[ "${#shown[@]}" -eq 0 ] || while read -r x d; do
  [ "disclosures/$x.json" = "$d" ] || die "$d is not what its name says"; done <"$t/sums"

# The checkpoint is signed by the key of the bundle.
[ "$(tr -cd '\000-\011\013-\037' <checkpoint | wc -c)" -eq 0 ] || die "checkpoint holds control characters"
mapfile -t note <checkpoint
origin=${note[0]:-}; size=${note[1]:-}; root=$(hex "${note[2]:-}" || true)
[ "${#note[@]}" -gt 4 ] && [ -n "$origin" ] && [ -z "${note[3]}" ] && is_number "$size" && is_hash "$root" || die "checkpoint is no signed checkpoint"
head -n 3 checkpoint >"$t/body"
# The key as it is used: one of another kind could end in the same 32 bytes.
openssl pkey -pubin -in log.pub.pem -outform DER >"$t/key" 2>/dev/null || die "log.pub.pem is no public key"
[[ $(xxd -p -c 64 "$t/key") =~ ^302a300506032b6570032100[0-9a-f]{64}$ ]] || die "log.pub.pem is not a key of Ed25519"
tail -c 32 "$t/key" >"$t/pub"
kid=$( { printf '%s\n\001' "$origin"; cat "$t/pub"; } | sum); kid=${kid:0:8}
[[ $(openssl pkeyutl -help 2>&1) = *-rawin* ]] || die "this openssl cannot check signatures of Ed25519: version 3 can"
signed=0
for line in "${note[@]:4}"; do
  [ "${line% *}" = "— $origin" ] && base64 -d <<<"${line##* }" >"$t/line" 2>/dev/null || continue
  [ "$(head -c 4 "$t/line" | xxd -p)" = "$kid" ] || continue
  tail -c +5 "$t/line" >"$t/sig"; signed=1
  openssl pkeyutl -verify -pubin -keyform DER -inkey "$t/key" -rawin -in "$t/body" -sigfile "$t/sig" >/dev/null 2>&1 || die "the signature of the checkpoint is false"
done
[ "$signed" = 1 ] || die "no signature by $origin+$kid"
[ "$(<log.vkey)" = "$origin+$kid+$( { printf '\001'; cat "$t/pub"; } | base64 -w 0)" ] || die "log.vkey is another key"
# What a terminal would obey is told as what it is.
printf 'signed by %q+%s, %s entries; compare with the key published for this log: %q\n' "$origin" "$kid" "$size" "$(<log.vkey)"

# Somebody else's clock, if there is one: the log was at least so long by then.
if [ -f checkpoint.tsr ] || [ -f tsa.pem ]; then
  # Of the token alone: round it stand words that nobody signed, which may tell another time.
  at=$(openssl ts -reply -in checkpoint.tsr -token_out -text 2>/dev/null | while IFS= read -r line; do
    [[ $line != "Time stamp: "* ]] || echo "${line#*: }"; done) || die "checkpoint.tsr is no time-stamp"
  seconds=$(date -u -d "$at" +%s) && [ -n "$at" ] || die "checkpoint.tsr tells no time"
  openssl ts -verify -in checkpoint.tsr -data "$t/body" -CAfile tsa.pem -attime "$seconds" >/dev/null 2>&1 || die "checkpoint.tsr is no time-stamp of this checkpoint by the authority in tsa.pem"
  n=0
  while IFS= read -r line; do
    case $line in "-----BEGIN CERTIFICATE-----") n=$((n + 1)) ;; "-----END CERTIFICATE-----") ;;
    *) [[ $line =~ ^[A-Za-z0-9+/=]+$ ]] || die "tsa.pem holds something else than certificates" ;; esac
    echo "$line" >>"$t/tsa.$n"
  done <tsa.pem
  echo "stamped at $at; compare with the authority's own certificate:"
  for ((i = 1; i <= n; i++)); do openssl x509 -in "$t/tsa.$i" -noout -fingerprint -sha256 || die "tsa.pem holds something else than certificates"; done
fi

# Every entry is in the tree under that checkpoint, after the one that it names.
declare -A seen committed attached raw made
all=()
for p in entries/* withheld/*; do
  i=${p##*/}; [[ $p != entries/* ]] || { [[ $i = *.json ]] || die "$p is no entry"; i=${i%.json}; }
  is_number "$i" || die "$p is no entry"
  all+=("$i")
done
proofs=(proofs/*)
[ "${#all[@]}" -gt 0 ] && [ "${#proofs[@]}" -eq "${#all[@]}" ] || die "there are ${#all[@]} entries, and ${#proofs[@]} proofs"
read_text checkpoint; checkpoint=$text; leaves=$(mktemp -d "$t/XXXXXX")
printf '%s\n' "${all[@]}" | sort -n >"$t/all"; mapfile -t all <"$t/all"
nodes=(); before=(); hash=(); path=(); first=(); second=(); next=(); at=()
for i in "${all[@]}"; do
  p=proofs/$i.tlog-proof; [ -f "$p" ] || die "there is no $p"
  read_text "$p"; head=${text%%$'\n\n'*}
  [ "$text" = "$head"$'\n\n'"$checkpoint" ] || die "$p holds another checkpoint"
  mapfile -t lines <<<"$head"
  [ "${lines[0]}" = c2sp.org/tlog-proof@v1 ] || die "$p: unknown format"
  [ "${lines[1]:-}" = "index $i" ] || die "$p holds another index"
  [ "$i" -lt "$size" ] || die "entry $i is not in a log of $size"
  path[i]=; first[i]=$i; second[i]=$((size - 1)); before[i]=null
  for c in "${lines[@]:2}"; do
    [[ $c =~ ^[A-Za-z0-9+/]{43}=$ ]] || die "the proof of entry $i is none"
    [ -n "${raw[$c]:-}" ] || { raw[$c]=asked; nodes+=("$c"); }
    path[i]+="$c "
  done
  if [ -f "entries/$i.json" ]; then
    [ ! -e "withheld/$i" ] || die "entry $i is both shown and withheld"
    read_text "entries/$i.json"; rest=$text; printf '\0%s' "$text" >"$leaves/$i"
    [[ $rest =~ \"prev\":(null|\"([0-9a-f]{64})\")[,}] ]] || die "entry $i names no entry before it"
    before[i]=${BASH_REMATCH[1]//\"/}
    [[ ! ${rest#*\"prev\":} =~ \"prev\": ]] || die "entry $i names two entries before it"
    [[ ! $rest =~ \"file\":\"([0-9a-f]{64})\" ]] || attached[${BASH_REMATCH[1]}]=1
    while [[ $rest =~ \"sd\":\"([0-9a-f]{64})\" ]]; do
      committed[${BASH_REMATCH[1]}]=1; rest=${rest#*"${BASH_REMATCH[0]}"}; done
  else hash[i]=$(<"withheld/$i"); is_hash "${hash[i]}" || die "withheld/$i is no hash"; fi
done
(cd "$leaves"; sums *) >"$t/sums"
while read -r x i; do hash[i]=$x; done <"$t/sums"
# 43 digits and an A are 33 bytes: the hash, and what has to be nothing.
if [ "${#nodes[@]}" -gt 0 ]; then
  printf '%s' "${nodes[@]/%=/A}" | base64 -d | xxd -p -c 33 >"$t/raw"; mapfile -t lines <"$t/raw"
  for k in "${!nodes[@]}"; do raw[${nodes[k]}]=${lines[k]%00}; done
fi
# All entries climb at once, a level at a time.
left=("${all[@]}"); for i in "${all[@]}"; do at[i]=${hash[i]}; done
while [ "${#left[@]}" -gt 0 ]; do
  going=(); wanted=()
  for i in "${left[@]}"; do
    f=${first[i]}; s=${second[i]}; x=${at[i]}
    if [ -z "${path[i]}" ]; then [ "$s" = 0 ] && [ "$x" = "$root" ] || die "entry $i is not in the tree"; continue; fi
    c=${raw[${path[i]%% *}]}; path[i]=${path[i]#* }
    is_hash "$c" && [ "$s" -gt 0 ] || die "the proof of entry $i is none"
    if [ $((f & 1)) = 1 ] || [ "$f" = "$s" ]; then n=01$c$x
      while [ $((f & 1)) = 0 ] && [ "$f" != 0 ]; do f=$((f >> 1)); s=$((s >> 1)); done
    else n=01$x$c; fi
    first[i]=$((f >> 1)); second[i]=$((s >> 1)); next[i]=$n; going+=("$i")
    [ -n "${made[$n]:-}" ] || { made[$n]=asked; wanted+=("$n"); }
  done
  if [ "${#wanted[@]}" -gt 0 ]; then
    level=$(mktemp -d "$t/XXXXXX"); printf '%s\n' "${wanted[@]}" | xxd -r -p | split -b 65 -a 9 -d - "$level/"
    (cd "$level"; sums *) >"$t/sums"; mapfile -t lines <"$t/sums"
    for k in "${!wanted[@]}"; do made[${wanted[k]}]=${lines[k]:0:64}; done
  fi
  left=(${going[@]+"${going[@]}"})
  for i in ${left[@]+"${left[@]}"}; do at[i]=${made[${next[i]}]}; done
done
for i in "${all[@]}"; do
  x=${before[i]}; [ "$x" = null ] || [ -n "${seen[$x]:-}" ] || die "entry $i follows an entry that is not in this bundle"
  seen[${hash[i]}]=1
done

# What was withheld and is shown after all is what stood there as a hash.
for u in unsealed/*; do
  i=${u##*/}; i=${i%.json}; [ -f "withheld/$i" ] || die "$u stood nowhere as a hash"
  [ "$( { printf '\0'; cat "$u"; } | sum)" = "$(<"withheld/$i")" ] || die "$u is not the entry that was withheld"
done

# What is shown of names and words is what was committed to.
for p in parked/*.json unsealed/*; do
  rest=$(tr -d '\000' <"$p")
  while [[ $rest =~ \"sd\":\"([0-9a-f]{64})\" ]]; do
    committed[${BASH_REMATCH[1]}]=1; rest=${rest#*"${BASH_REMATCH[0]}"}; done
done
for d in disclosures/*; do h=${d#*/}; [ -n "${committed[${h%.json}]:-}" ] || die "$d is not committed to by an entry"; done
for f in files/*; do h=${f#*/}
  [ "$(sum <"$f")" = "$h" ] || die "$f is not what its name says"
  [ -n "${attached[$h]:-}" ] || die "no entry shown names $f"
done
[ ! -f case.html ] || echo "case.html is not checked here: the record of its handing out has the zip file's hash"
entries=(entries/*)
echo "OK: ${#entries[@]} entries shown; the rest of what is proved stands in README"
