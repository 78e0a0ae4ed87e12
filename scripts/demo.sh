#!/bin/sh
# Shows the dashboard with a simulated fleet: sh scripts/demo.sh [--servers 40 --sites 10000] [--help]
# On a new machine it first installs what it needs. It listens on 127.0.0.1 and deletes its files.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib/bun.sh
bun_install
exec "$BUN" scripts/demo.ts "$@"
