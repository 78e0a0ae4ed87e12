#!/bin/sh
# Shows the dashboard with a simulated fleet: sh scripts/demo.sh [--servers 40 --sites 10000] [--help]
# On a new machine it gets all it needs first. It listens on 127.0.0.1 and leaves nothing behind.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib/bun.sh
bun_install
exec "$BUN" scripts/demo.ts "$@"
