#!/bin/sh
# Installs the dashboard on this server as a service behind a TLS proxy, or updates it:
#   sh scripts/install-dashboard.sh --domain control.example.com
# --help lists the options. Run again, it updates to this checkout and keeps the options.
set -eu
umask 022
cd "$(dirname "$0")/.."

stop() {
  echo "error: $1" >&2
  exit 1
}

place=/opt/hosting-control/bun
for option; do
  case "$option" in
    --help | -h) exec cat scripts/install/help.txt ;;
    --dry-run) dry=yes ;;
  esac
done

[ "$(id -u)" = 0 ] || stop 'the installation needs root: sudo sh scripts/install-dashboard.sh …'
debian=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
case "$debian" in
  bookworm | trixie) ;;
  *) stop "this runs on Debian 12 or 13, not on $(sed -n 's/^PRETTY_NAME=//p' /etc/os-release)" ;;
esac
[ -d /run/systemd/system ] || stop 'the dashboard runs as a service of systemd, which does not run here'

# Without it, two installations would replace each other's files.
exec 9>/run/hosting-control-install.lock
flock --nonblock 9 || stop 'another installation is running: wait for its end'

if [ "${dry:-}" = yes ]; then
  if ! [ -d "$place" ]; then
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
  fi
elif ! command -v curl >/dev/null; then
  echo '- Installing curl'
  output=$(apt-get update -q 2>&1 &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
      curl ca-certificates 2>&1) || {
    echo "$output" | tail -n 5 >&2
    stop 'curl could not be installed: check the package sources of this server'
  }
fi

BUN_PLACE="$place"
. scripts/lib/bun.sh
# In a dry run a child, so that the trap above runs at the end.
[ "${dry:-}" = yes ] || exec "$BUN" scripts/install-dashboard.ts "$@"
"$BUN" scripts/install-dashboard.ts "$@"
