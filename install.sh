#!/bin/sh
# Builds Stillup from this folder and copies the executable to PREFIX/bin (default: ~/.local).
set -eu
cd "$(dirname "$0")"

prefix=${PREFIX:-$HOME/.local}
for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "Install Node.js 20.19 or newer first: '$tool' is missing." >&2; exit 1; }
done

npm install --no-audit --no-fund
npm run build
mkdir -p "$prefix/bin"
# Written beside and renamed, so that a running copy is never half overwritten.
cp dist/stillup "$prefix/bin/.stillup.new"
mv "$prefix/bin/.stillup.new" "$prefix/bin/stillup"
echo "Installed $("$prefix/bin/stillup" version) to $prefix/bin/stillup"
