import { deniedAddresses } from '#agent/kernel/host/denied-addresses.ts'
import { renderVariable } from '#shared/kernel/formats/systemd.ts'
import {
  COMMAND,
  CURRENT,
  DATA,
  ENVIRONMENT,
  HOME,
  PROGRAM,
  SERVICE,
  SETTINGS,
  USER,
} from './paths.ts'

/**
 * Renders the service: no root, no capability, write access to its records only, and no connection
 * to the addresses that return the credentials of a cloud server, except name servers of
 * `resolv_conf`.
 */
export const renderUnit = (
  resolv_conf: string,
): string => `# Written by scripts/install-dashboard.sh; changes belong into a drop-in: systemctl edit ${SERVICE}
[Unit]
Description=Hosting Control dashboard
Wants=network-online.target
# Nothing is purged, pruned or started by its age before the time is set, where a program sets it.
After=network-online.target time-sync.target
# After a failure it is started again for as long as it takes.
StartLimitIntervalSec=0

[Service]
User=${USER}
Group=${USER}
WorkingDirectory=${CURRENT}
Environment=NODE_ENV=production
Environment=DATA_DIR=${DATA}
Environment=HOST=127.0.0.1
EnvironmentFile=${ENVIRONMENT}
ExecStart=${CURRENT}/${PROGRAM}
# As root, beside the dashboard, which cannot read what is sealed. A failure changes nothing else.
ExecStartPost=-+${COMMAND} save-release-key
Restart=always
RestartSec=2
TimeoutStopSec=20
UMask=0077
StateDirectory=${SERVICE}
StateDirectoryMode=0700
MemoryHigh=768M
MemoryMax=1G
TasksMax=256
# A restic or copy that needs too much memory ends alone.
OOMPolicy=continue
LimitNOFILE=16384
LimitCORE=0
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
ProtectProc=invisible
InaccessiblePaths=-${SETTINGS}
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
${deniedAddresses(resolv_conf)}
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
# Older versions of systemd do not have them in this set: the dashboard confines its restic with them.
SystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`

/** Renders the settings that the installation sets; additions of an administrator stay. */
export function renderEnvironment(before: string, decided: Record<string, string>): string {
  const rest = new Map(Object.entries(decided).filter(([, value]) => value !== ''))
  const lines = before === '' ? [ABOUT] : before.trimEnd().split('\n')
  const kept = lines.flatMap((line) => {
    const name = nameIn(line)
    if (!(name in decided)) return [line]
    const value = rest.get(name)
    rest.delete(name)
    return value === undefined ? [] : [renderVariable(name, value)]
  })
  return [...kept, ...[...rest].map(([name, value]) => renderVariable(name, value)), ''].join('\n')
}

const ABOUT = `# Settings of the dashboard, explained in .github/docs/operating.md.
# After a change: systemctl restart hosting-control`

/** Returns the variable that a line sets, or nothing. */
export const nameIn = (line: string) => /^\s*([A-Z_]+)=/.exec(line)?.[1] ?? ''

/** A command of the dashboard with the rights and settings of its service. */
export const COMMAND_TEXT = `#!/bin/sh
# Written by scripts/install-dashboard.sh: hosting-control --help
set -eu
[ "$(id -u)" = 0 ] || { echo 'error: this needs root' >&2; exit 1; }
command="\${1:---help}"
[ $# = 0 ] || shift
release="\${HOSTING_RELEASE:-${CURRENT}}"
if [ "$command" = save-release-key ]; then
  bun=$(sed -n 's/.*"packageManager": *"bun@\\([0-9.]*\\)".*/\\1/p' "$release/package.json")
  exec "${HOME}/bun/bun-$bun/bun" "$release/scripts/save-release-key.ts" "$@"
fi
# The program starts in another folder: all arguments but an e-mail address are paths.
count=$#
case "$command" in
  make-owner | reset-factors | reset-password) count=0 ;;
esac
while [ "$count" -gt 0 ]; do
  case "$1" in
    /* | -*) set -- "$@" "$1" ;;
    *) set -- "$@" "$PWD/$1" ;;
  esac
  shift
  count=$((count - 1))
done
run() {
  systemd-run --quiet --pipe --wait --collect --service-type=exec \\
    --property=User=${USER} --property=Group=${USER} --property=UMask=0077 \\
    --property=WorkingDirectory="$release" --property=EnvironmentFile=${ENVIRONMENT} \\
    --property=NoNewPrivileges=yes --property=CapabilityBoundingSet= \\
    --setenv=NODE_ENV=production --setenv=DATA_DIR=${DATA} \\
    "$release/${PROGRAM}" "$@"
}
if [ "$command" != restore ]; then
  run "$command" "$@"
  exit
fi
# Nothing may answer while its records are replaced.
systemctl stop ${SERVICE}
status=0
run restore "$@" || status=$?
systemctl start ${SERVICE}
exit "$status"
`
