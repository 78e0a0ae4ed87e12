#!/bin/sh
# Runs every test on this machine: sh scripts/test.sh [--quick]
# --quick leaves out what needs root. The last line says how many passed, failed and were skipped.
set -eu
cd "$(dirname "$0")/.."

not_ready() {
  [ "$?" -eq 0 ] || echo '0 passed, 1 failed, 0 skipped'
}
trap not_ready EXIT
. scripts/lib/bun.sh
bun_install
trap - EXIT
exec "$BUN" scripts/test.ts "$@"
