#!/bin/sh
# Starts dashboard and agent on this machine: sh scripts/start.sh [--site example.test] [--help]
# On a new machine it first installs what it needs. A second run uses the same data.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib/bun.sh
bun_install

# Connections to programs of this machine never use a proxy.
NO_PROXY="${NO_PROXY:-${no_proxy:-}},127.0.0.1,::1,localhost"
no_proxy="$NO_PROXY"
export NO_PROXY no_proxy
exec "$BUN" scripts/start.ts "$@"
