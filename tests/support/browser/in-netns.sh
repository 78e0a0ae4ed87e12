#!/bin/sh
# Chromium in the network namespace BROWSER_NETNS, with this machine's files.
exec ip netns exec "$BROWSER_NETNS" /usr/bin/chromium "$@"
