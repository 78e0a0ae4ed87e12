import { createHash } from 'node:crypto'
import { sendmailPath } from '#agent/features/mail/sendmail.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  DEBUG_PHP,
  debugVariables,
  poolSettings,
  STAGING_DEBUG_PHP,
} from '#agent/kernel/sandbox/debug.ts'
import { STAGING_PHP, stagingVariables } from '#agent/kernel/sandbox/staging.ts'
import { formOf } from '#agent/kernel/services/index.ts'
import type { Service } from '#agent/kernel/services/service.ts'
import { sliceOf, UNITS, WANTS } from '#agent/kernel/services/systemd.ts'
import { fpmLogOf, homeOf, LOGIN_PHP } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { TierLimits } from '#agent/kernel/site/tiers.ts'
import { phpIni, phpIniText } from '#shared/kernel/formats/php-ini.ts'
import { PHP_VALUES } from '#shared/kernel/php-values.ts'

/** A PHP-FPM master of one user, for one PHP version. */
export interface Pool {
  user: string
  php: string
}

export const FPM_FOLDER = '/etc/hosting/fpm'
export const RUN_FOLDER = '/run/hosting-fpm'

const nameOf = ({ user, php }: Pool) => `${user}-php${php}`

/**
 * Returns a path without a site name, since the kernel shows it to every process (/proc/net/unix):
 * a hash confirms a known name, and reveals none. It includes the version: two masters cannot share
 * a socket.
 */
export function socketOf(pool: Pool): string {
  const name = `hosting-fpm ${nameOf(pool)}`
  return `${RUN_FOLDER}/${createHash('sha256').update(name).digest('hex').slice(0, 32)}.sock`
}

/** Returns a file that exists while a replacement of content keeps PHP stopped, for nginx. */
export function pausedPathOf(user: string): string {
  const name = `hosting-fpm paused ${user}`
  return `${RUN_FOLDER}/${createHash('sha256').update(name).digest('hex').slice(0, 32)}.paused`
}

/** Returns the folder of one pool: the sandbox of the pool shows nothing else of FPM_FOLDER. */
export const poolFolderOf = (pool: Pool) => `${FPM_FOLDER}/${nameOf(pool)}.d`
export const configOf = (pool: Pool) => `${poolFolderOf(pool)}/pool.conf`
const unitOf = (pool: Pool) => `hosting-fpm@${nameOf(pool)}.service`
const socketUnitOf = (pool: Pool) => `hosting-fpm@${nameOf(pool)}.socket`
export const unitPathOf = (pool: Pool) => `${UNITS}/${unitOf(pool)}`
export const socketUnitPathOf = (pool: Pool) => `${UNITS}/${socketUnitOf(pool)}`
export const wantsPathOf = (pool: Pool) => `${WANTS}/${unitOf(pool)}`

export function fpmService(
  pool: Pool,
): Service & Required<Pick<Service, 'processes' | 'socket_unit'>> {
  return {
    unit: unitOf(pool),
    socket_unit: socketUnitOf(pool),
    program: `/usr/sbin/php-fpm${pool.php}`,
    args: ['--nodaemonize', '--fpm-config', configOf(pool)],
    env: { PHP_INI_SCAN_DIR: `:${poolFolderOf(pool)}` },
    pid_file: `${RUN_FOLDER}/${nameOf(pool)}.pid`,
    processes: `/sys/fs/cgroup/hosting.slice/${sliceOf(pool.user)}/${unitOf(pool)}/cgroup.procs`,
    capabilities: ['chown', 'kill', 'setgid', 'setuid'],
    log: fpmLogOf(pool.user),
    stop_signal: 'QUIT',
    folder: { path: RUN_FOLDER, options: { mode: 0o711 } },
  }
}

/**
 * `open_basedir` costs PHP its path cache: only where no namespace hides the neighbours. Names are
 * quoted: without quotes, `off` and `null` are no names, and a pool `global` is no pool.
 */
export function renderPool(
  pool: Pool,
  limits: TierLimits,
  init: Host['init'],
  site: PhpSettingsOfSite = {},
): string {
  const home = homeOf(pool.user)
  const { spare, children, execution_time: seconds } = limits
  const direct = formOf({ init }, { systemd: undefined, direct: withoutSystemd(pool, home) })
  return [
    phpIni`; ${MARK_LINE}`,
    '[global]',
    ...(direct?.global ?? ['error_log = /dev/null']),
    'process_control_timeout = 10s',
    '',
    phpIni`[site-${pool.user}]`,
    phpIni`user = "${pool.user}"`,
    phpIni`group = "${pool.user}"`,
    phpIni`listen = ${socketOf(pool)}`,
    ...(direct?.socket ?? []),
    'pm = dynamic',
    phpIni`pm.max_children = ${children}`,
    phpIni`pm.start_servers = ${spare.start}`,
    phpIni`pm.min_spare_servers = ${spare.min}`,
    phpIni`pm.max_spare_servers = ${spare.max}`,
    phpIni`pm.max_requests = ${limits.requests}`,
    'pm.status_path = /.fpm-status',
    'ping.path = /.fpm-ping',
    phpIni`request_terminate_timeout = ${seconds + 5}s`,
    'clear_env = yes',
    'env[PATH] = /usr/local/bin:/usr/bin:/bin',
    phpIni`env[TMPDIR] = ${home}/tmp`,
    ...Object.entries({ ...stagingVariables(site), ...debugVariables({ ...site, ...pool }) }).map(
      ([name, value]) => phpIni`env[${name}] = ${value}`,
    ),
    'security.limit_extensions = .php',
    ...(direct?.values ?? []),
    phpIni`php_admin_value[sendmail_path] = ${phpIniText('sendmail_path', sendmailPath(pool))}`,
    ...siteValues(pool, limits, site),
    '',
  ].join('\n')
}

type PhpSettingsOfSite = Pick<Site, 'staging' | 'settings' | 'debug'>

/** Returns the values of PHP of a site as lines of its pool. */
export function siteValues(
  { user }: Pick<Pool, 'user'>,
  limits: TierLimits,
  site: PhpSettingsOfSite,
): string[] {
  const settings = poolSettings(site).map((text) => text.split('='))
  return [
    ...settings.map(([name, value]) => phpIni`php_admin_value[${name ?? ''}] = ${value ?? ''}`),
    ...withSiteValues(
      phpValues(homeOf(user), limits, site.debug && 'php_value'),
      site.settings?.php_settings?.values ?? {},
    ),
  ]
}

const SHARED_PHP = ['/usr/share/php', '/usr/share/zoneinfo', STAGING_PHP, DEBUG_PHP]
const PREPENDED_PHP = [STAGING_DEBUG_PHP, LOGIN_PHP]

/**
 * Without systemd the master is root, with few capabilities: it opens its log, creates its socket
 * and becomes the user of the site in each worker. systemd does all of that itself and starts the
 * master as the user.
 */
function withoutSystemd(pool: Pool, home: string) {
  const { pid_file, log } = fpmService(pool)
  return {
    global: [`pid = ${pid_file}`, `error_log = ${log}`],
    socket: [
      phpIni`listen.owner = "${pool.user}"`,
      'listen.group = www-data',
      'listen.mode = 0660',
    ],
    values: [
      `php_admin_value[open_basedir] = ${[home, ...SHARED_PHP, ...PREPENDED_PHP].join(':')}`,
    ],
  }
}

/**
 * Returns the values of PHP. The site may raise a `php_value` (WordPress does, for images), but not
 * a `php_admin_value`. For its debug log, WordPress sets the place of errors itself.
 */
export function phpValues(
  home: string,
  limits: TierLimits,
  error_log: 'php_value' | 'php_admin_value' = 'php_admin_value',
): string[] {
  return [
    phpIni`php_value[memory_limit] = ${limits.memory_limit}M`,
    phpIni`php_value[max_execution_time] = ${limits.execution_time}`,
    phpIni`php_admin_value[upload_max_filesize] = ${limits.upload}M`,
    phpIni`php_admin_value[post_max_size] = ${limits.upload + 1}M`,
    phpIni`php_admin_value[max_input_vars] = ${limits.input_vars}`,
    phpIni`php_admin_value[upload_tmp_dir] = ${home}/tmp`,
    phpIni`php_admin_value[sys_temp_dir] = ${home}/tmp`,
    phpIni`php_admin_value[session.save_path] = ${home}/sessions`,
    phpIni`${error_log}[error_log] = ${home}/logs/php-error.log`,
    'php_admin_flag[log_errors] = on',
    'php_admin_flag[display_errors] = off',
    'php_admin_flag[session.upload_progress.enabled] = off',
    'php_value[session.cookie_httponly] = 1',
    'php_value[session.cookie_samesite] = Lax',
  ]
}

/**
 * Renders values that PHP reads at a start and at a reload. A master shares its OPcache with no
 * other, so there is no opcache.validate_permission, which calls access(2) for each script of each
 * request, and no opcache.restrict_api: without its functions WordPress reports that there is no
 * cache.
 */
export function renderIni({ opcache }: TierLimits): string {
  return [
    phpIni`; ${MARK_LINE}`,
    phpIni`opcache.memory_consumption = ${opcache.memory}`,
    phpIni`opcache.max_accelerated_files = ${opcache.files}`,
    phpIni`opcache.interned_strings_buffer = ${opcache.strings}`,
    'expose_php = off',
    'allow_url_include = off',
    '',
  ].join('\n')
}

const NAME = /^php_(?:admin_)?(?:value|flag)\[(.+?)\]/

/**
 * Returns the lines of a pool with the values of its site. PHP-FPM would apply a second line of the
 * same setting first, so that the former one would win: it is left out.
 */
function withSiteValues(
  lines: readonly string[],
  values: Readonly<Record<string, string>>,
): string[] {
  const others = lines.filter((line) => !Object.hasOwn(values, NAME.exec(line)?.[1] ?? ''))
  return [...others, ...Object.entries(values).sort().flatMap(lineOf)]
}

/** Quotes a value: without quotes, `None` is empty. Names of other versions are left out. */
function lineOf([name, value]: [string, string]): string[] {
  const rule = PHP_VALUES[name]
  if (!rule) return []
  const scope = rule.system ? 'php_admin' : 'php'
  return rule.kind === 'switch'
    ? [phpIni.part`${scope}_flag[${name}] = ${value}`.text]
    : [phpIni.part`${scope}_value[${name}] = ${phpIniText('php_settings', value)}`.text]
}
