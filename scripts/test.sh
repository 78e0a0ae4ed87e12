#!/bin/sh
# Runs the tests on this machine: sh scripts/test.sh [--quick | --full [--shard 1/4] | --long] [--base COMMIT]
# Without an option it is the gate of a change, in 15 minutes. The last line says how many passed,
# failed and were skipped.
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
