import type { Host } from '../host/ports.ts'
import { MARK_LINE } from './generated.ts'
import { homeOf, logsOf } from './paths.ts'
import type { Service } from './services/service.ts'
import { sliceOf } from './services/systemd.ts'
import type { Limits } from './tiers.ts'

/** One PHP-FPM master: of one user, for one PHP version. */
export interface Pool {
  user: string
  php: string
}

export const FPM_FOLDER = '/etc/hosting/fpm'
export const RUN_FOLDER = '/run/hosting-fpm'
const UNITS = '/etc/systemd/system'
export const WANTS = `${UNITS}/multi-user.target.wants`

const nameOf = ({ user, php }: Pool) => `${user}-${php}`
/** The version is in the name: two masters cannot share a socket. */
export const socketOf = (pool: Pool) => `${RUN_FOLDER}/${nameOf(pool)}.sock`
export const configOf = (pool: Pool) => `${FPM_FOLDER}/${nameOf(pool)}.conf`
export const iniFolderOf = (pool: Pool) => `${FPM_FOLDER}/${nameOf(pool)}.d`
const unitOf = (pool: Pool) => `hosting-fpm@${nameOf(pool)}.service`
export const unitPathOf = (pool: Pool) => `${UNITS}/${unitOf(pool)}`
export const wantsPathOf = (pool: Pool) => `${WANTS}/${unitOf(pool)}`
export const slicePathOf = (user: string) => `${UNITS}/${sliceOf(user)}`

export function fpmService(pool: Pool): Service {
  return {
    unit: unitOf(pool),
    program: `/usr/sbin/php-fpm${pool.php}`,
    args: ['--nodaemonize', '--fpm-config', configOf(pool)],
    env: { PHP_INI_SCAN_DIR: `:${iniFolderOf(pool)}` },
    pid_file: `${RUN_FOLDER}/${nameOf(pool)}.pid`,
    log: `${logsOf(pool.user)}/php-fpm.log`,
    stop_signal: 'QUIT',
    folder: { path: RUN_FOLDER, options: { mode: 0o755 } },
  }
}

/**
 * `open_basedir` costs PHP its path cache: only where no namespace hides the neighbours. Names are
 * quoted: unquoted, `off` and `null` are no names in this format, and a pool `global` is no pool.
 */
export function renderPool(pool: Pool, limits: Limits, init: Host['init']): string {
  const home = homeOf(pool.user)
  const { pm, spare, idle, children, execution_time: seconds } = limits
  const sizes =
    pm === 'ondemand'
      ? [`pm.process_idle_timeout = ${idle}s`]
      : [
          `pm.start_servers = ${spare.start}`,
          `pm.min_spare_servers = ${spare.min}`,
          `pm.max_spare_servers = ${spare.max}`,
        ]
  const basedir =
    init === 'direct'
      ? [`php_admin_value[open_basedir] = ${home}:/usr/share/php:/usr/share/zoneinfo`]
      : []
  return [
    `; ${MARK_LINE}`,
    '[global]',
    `pid = ${fpmService(pool).pid_file}`,
    `error_log = ${logsOf(pool.user)}/php-fpm.log`,
    'process_control_timeout = 10s',
    '',
    `[site-${pool.user}]`,
    `user = "${pool.user}"`,
    `group = "${pool.user}"`,
    `listen = ${socketOf(pool)}`,
    `listen.owner = "${pool.user}"`,
    'listen.group = www-data',
    'listen.mode = 0660',
    `pm = ${pm}`,
    `pm.max_children = ${children}`,
    ...sizes,
    `pm.max_requests = ${limits.requests}`,
    'pm.status_path = /.fpm-status',
    'ping.path = /.fpm-ping',
    `request_terminate_timeout = ${seconds + 5}s`,
    'request_slowlog_timeout = 10s',
    `slowlog = ${logsOf(pool.user)}/php-slow.log`,
    'clear_env = yes',
    'env[PATH] = /usr/local/bin:/usr/bin:/bin',
    `env[TMPDIR] = ${home}/tmp`,
    'security.limit_extensions = .php',
    ...basedir,
    ...phpValues(home, limits),
    '',
  ].join('\n')
}

/** `php_value` may be raised by the site (WordPress does, for images), `php_admin_value` not. */
function phpValues(home: string, limits: Limits): string[] {
  return [
    `php_value[memory_limit] = ${limits.memory_limit}M`,
    `php_value[max_execution_time] = ${limits.execution_time}`,
    `php_admin_value[upload_max_filesize] = ${limits.upload}M`,
    `php_admin_value[post_max_size] = ${limits.upload + 1}M`,
    `php_admin_value[max_input_vars] = ${limits.input_vars}`,
    `php_admin_value[upload_tmp_dir] = ${home}/tmp`,
    `php_admin_value[sys_temp_dir] = ${home}/tmp`,
    `php_admin_value[session.save_path] = ${home}/sessions`,
    `php_admin_value[error_log] = ${home}/logs/php-error.log`,
    'php_admin_flag[log_errors] = on',
    'php_admin_flag[display_errors] = off',
    'php_value[session.cookie_httponly] = 1',
    'php_value[session.cookie_samesite] = Lax',
  ]
}

/**
 * What PHP reads once at its start, and again at a reload. The first two keep a script from reading
 * a neighbour's compiled files out of a shared cache; there is one master for each site besides.
 */
export function renderIni({ opcache }: Limits): string {
  return [
    `; ${MARK_LINE}`,
    'opcache.validate_permission = 1',
    'opcache.restrict_api = /nonexistent',
    `opcache.memory_consumption = ${opcache.memory}`,
    `opcache.max_accelerated_files = ${opcache.files}`,
    `opcache.interned_strings_buffer = ${opcache.strings}`,
    'expose_php = off',
    'allow_url_include = off',
    '',
  ].join('\n')
}

/**
 * systemd.exec(5): the master sees this site's files and no other's. mkdir with the set-group-ID bit
 * must stay allowed (WordPress copies the mode of the folder above), so no RestrictSUIDSGID.
 */
export function renderUnit(pool: Pool): string {
  const { program, args } = fpmService(pool)
  const home = homeOf(pool.user)
  return `# ${MARK_LINE}
[Unit]
Description=PHP ${pool.php} of ${pool.user}
After=network.target mariadb.service

[Service]
Type=notify
Slice=${sliceOf(pool.user)}
Environment=PHP_INI_SCAN_DIR=:${iniFolderOf(pool)}
ExecStart=${program} ${args.join(' ')}
ExecReload=/bin/kill -USR2 $MAINPID
KillSignal=SIGQUIT
TimeoutStopSec=15
Restart=on-failure
RestartSec=1
UMask=0027
RuntimeDirectory=hosting-fpm
RuntimeDirectoryPreserve=yes
CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_CHOWN CAP_KILL CAP_SYS_PTRACE
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=${home} ${logsOf(pool.user)}
TemporaryFileSystem=/srv/www:ro /var/log/hosting:ro
BindPaths=${home} ${logsOf(pool.user)}
InaccessiblePaths=-/var/lib/hosting-agent -/etc/hosting/tls -/var/cache/hosting -/var/backups
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service ptrace

[Install]
WantedBy=multi-user.target
`
}

export function renderSlice(user: string, { slice }: Limits): string {
  return `# ${MARK_LINE}
[Unit]
Description=Limits of ${user}

[Slice]
MemoryHigh=${slice.memory_high}M
MemoryMax=${slice.memory_max}M
CPUWeight=${slice.cpu_weight}
TasksMax=${slice.tasks}
`
}
