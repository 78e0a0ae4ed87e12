#!/bin/sh
# BROWSER_PROGRAM in the network namespace BROWSER_NETNS, with this machine's files.
exec ip netns exec "$BROWSER_NETNS" "/usr/bin/$BROWSER_PROGRAM" "$@"
