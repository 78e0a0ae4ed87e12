#!/bin/sh
# Joins the control groups named before `--`, then becomes the command after it.
set -eu
while [ "$1" != -- ]; do
  echo $$ > "$1/cgroup.procs"
  shift
done
shift
exec "$@"
