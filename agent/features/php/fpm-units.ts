import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { sandboxOf } from '#agent/kernel/sandbox/sandbox.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import type { TierLimits } from '#agent/kernel/site/tiers.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'
import { configOf, fpmService, type Pool, poolFolderOf, socketOf } from './fpm-files.ts'

/** Renders the socket, which systemd creates, so that only nginx connects: systemd.socket(5). */
export function renderSocket(pool: Pool): string {
  return unit`# ${MARK_LINE}
[Unit]
Description=Socket of PHP ${pool.php} of ${pool.user}

[Socket]
ListenStream=${socketOf(pool)}
SocketUser=root
SocketGroup=www-data
SocketMode=0660
DirectoryMode=0711
RemoveOnStop=yes
Backlog=511
`
}

/**
 * Renders the unit. The master is the user of the site, without a capability, and sees only the
 * files of this site. It receives the socket as descriptor 3 (FPM_SOCKETS), and systemd opens its
 * log.
 */
export function renderUnit(pool: Pool): string {
  const { program, log, socket_unit } = fpmService(pool)
  return unit`# ${MARK_LINE}
[Unit]
Description=PHP ${pool.php} of ${pool.user}
After=network.target mariadb.service ${socket_unit}
Requires=${socket_unit}
StartLimitIntervalSec=0

[Service]
Type=exec
Slice=${sliceOf(pool.user)}
Environment=PHP_INI_SCAN_DIR=:${poolFolderOf(pool)}
Environment=FPM_SOCKETS=${socketOf(pool)}=3
ExecStart=${program} --force-stderr --nodaemonize --fpm-config ${configOf(pool)}
ExecReload=/bin/kill -USR2 $MAINPID
KillSignal=SIGQUIT
SuccessExitStatus=SIGQUIT
TimeoutStopSec=15
Restart=on-failure
RestartSec=1
OOMPolicy=continue
UMask=0027
StandardOutput=null
StandardError=append:${log}
${sandboxOf(pool.user).join('\n')}
BindReadOnlyPaths=${poolFolderOf(pool)}

[Install]
WantedBy=multi-user.target
`
}

export function renderSlice(user: string, { slice }: TierLimits): string {
  return unit`# ${MARK_LINE}
[Unit]
Description=Limits of ${user}

[Slice]
MemoryHigh=${slice.memory_high}M
MemoryMax=${slice.memory_max}M
CPUWeight=${slice.cpu_weight}
TasksMax=${slice.tasks}
`
}
