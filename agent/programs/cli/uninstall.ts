import process from 'node:process'
import { parseArgs } from 'node:util'
import { commands } from '#agent/commands.ts'
import { TMPFILES } from '#agent/features/access/shell/shell.ts'
import { servedCertificates } from '#agent/features/existing/served-certificates.ts'
import { MAIL_UNIT, removeSockets } from '#agent/features/mail/service.ts'
import { BASE_PATHS } from '#agent/features/servers/provision/provision.ts'
import { UNATTENDED_FILE } from '#agent/features/updates/unattended.ts'
import { previousOf } from '#agent/features/updates/upgrade/upgrade.ts'
import { stopConnectionRate } from '#agent/features/web/connection-rate.ts'
import { reloadTested, servedDomains } from '#agent/features/web/nginx.ts'
import type { Config } from '#agent/kernel/config.ts'
import { removeGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { AGENT_GROUP, FRONT_USER } from '#agent/kernel/host/sandbox.ts'
import { MAIL_USER } from '#agent/kernel/mail/paths.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { RESTART_DROP_INS } from '#agent/kernel/services/restart-drop-ins.ts'
import { SETTINGS_FILE } from '#agent/kernel/settings-path.ts'
import { CACHES, CONFIGURATION, HOMES, LIBRARY, LOGS, TRASH } from '#agent/kernel/site/paths.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { removeSharedEtc } from '#agent/kernel/site-etc/shared.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { FRONT_SOCKET, FRONT_UNIT, pathOfUnit, ROOT_UNIT } from './units.ts'

const UNITS = [FRONT_SOCKET, ROOT_UNIT, FRONT_UNIT, MAIL_UNIT]

interface UninstallOptions {
  /** True when the records of the agent and its trash are removed, too; the sites keep running. */
  purge: boolean
  /** True when all sites, and everything that the agent made for them, are deleted permanently. */
  sites: boolean
  dry_run: boolean
}

interface InstalledParts {
  sites: Site[]
  trash: Site[]
  certificates: string[]
  /** The domains of virtual hosts of an agent whose records are missing. */
  others: string[]
}

/**
 * `hosting-agent uninstall`: removes the agent and keeps the sites running. `--purge` also removes
 * its records and its trash, and `--remove-sites <hostname>` everything that it made. Lists what it
 * removes, keeps and stops; with `--dry-run` it does nothing else.
 */
export async function uninstall(config: Config, host: Host, args: string[]): Promise<string> {
  const options = await readArguments(host, args)
  const found = await findInstalled(host)
  if (!options.dry_run) await remove(config, host, options, found)
  return describe(config, options, found)
}

async function readArguments({ files }: Host, args: string[]): Promise<UninstallOptions> {
  const { values } = parseArgs({
    args,
    options: {
      purge: { type: 'boolean', default: false },
      'remove-sites': { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  })
  const hostname = (await files.read('/etc/hostname'))?.trim() ?? ''
  const named = values['remove-sites']
  if (named !== undefined && (hostname === '' || named !== hostname)) {
    throw new Error(`--remove-sites deletes every site permanently: name this server, ${hostname}`)
  }
  const sites = named !== undefined
  return { purge: values.purge || sites, sites, dry_run: values['dry-run'] }
}

async function findInstalled(host: Host): Promise<InstalledParts> {
  const [sites, trash] = await Promise.all([listSites(host), listSites(host, 'trash')])
  const own = new Set(sites.filter(({ tls }) => tls === 'letsencrypt').map(({ domain }) => domain))
  const served = own.size > 0 ? await servedCertificates(host) : []
  const certificates = served
    .filter(({ domain }) => own.has(domain))
    .map(({ domain, expires_at }) => `${domain} expires on ${expires_at.slice(0, 10)}`)
  const known = new Set(sites.map(({ domain }) => domain))
  const others = (await servedDomains(host)).filter((domain) => !known.has(domain))
  return { sites, trash, certificates, others }
}

/** Stops the agent first and removes its program last, for repetition if interrupted. */
async function remove(
  { state_dir }: Config,
  host: Host,
  { purge, sites }: UninstallOptions,
  { others }: InstalledParts,
): Promise<void> {
  await host.shell.try(['systemctl', 'disable', '--now', ...UNITS])
  await removeSockets(host)
  if (sites) await removeAllSites(host)
  if (purge) await emptyTrashes(host)
  if (sites && others.length === 0) await removeBase(host)
  for (const path of [...UNITS.map(pathOfUnit), SETTINGS_FILE, `${state_dir}/trust`]) {
    await host.files.remove(path)
  }
  const records = [state_dir, '/etc/hosting-agent', host.settings.mail_dir]
  if (purge) for (const path of records) await host.files.remove(path)
  await host.shell.try(['systemctl', 'daemon-reload'])
  await host.shell.try(['userdel', '--', FRONT_USER])
  await host.shell.try(['groupdel', AGENT_GROUP])
  for (const path of [process.execPath, previousOf(process.execPath)]) await host.files.remove(path)
}

const FOLDERS = [
  `files below ${HOMES}, databases, and system users`,
  [CONFIGURATION, LIBRARY, LOGS, CACHES].join(', '),
  '/var/lib/hosting-etc, which sites see as /etc',
  'units and slices /etc/systemd/system/hosting-*, /etc/logrotate.d/hosting-*',
  'nginx: /etc/nginx/conf.d/hosting.conf and sites hosting-* of sites-available',
]
const MORE = 'To remove more: --purge, or --remove-sites <hostname of this server>'
const PACKAGES = 'all packages, such as nginx, MariaDB and PHP, and their settings of Debian'

function describe(config: Config, options: UninstallOptions, found: InstalledParts): string {
  const left = options.sites ? [] : found.sites
  const [gone, stays, stops] = options.dry_run
    ? ['would be removed', 'would stay', 'would stop']
    : ['removed', 'stays', 'stops']
  const kept = options.purge ? [] : found.trash
  return [
    ...section(gone, removedWith(config, options, found)),
    ...section(stays, keptWith(config, options, { left, others: found.others })),
    ...section(stops, left.length === 0 ? [] : stopped(found.certificates, kept)),
    ...(options.purge ? [] : ['', MORE]),
  ].join('\n')
}

function removedWith(
  { state_dir }: Config,
  options: UninstallOptions,
  { sites, trash }: InstalledParts,
): string[] {
  return [
    'the agent: its services, settings, keys and program',
    ...(options.sites && sites.length > 0 ? [`permanently: ${listed(sites)}`] : []),
    ...(options.purge && trash.length > 0 ? [`from the trash, permanently: ${listed(trash)}`] : []),
    ...(options.purge ? [`its records and queues: ${state_dir}, /etc/hosting-agent, mail`] : []),
  ]
}

function keptWith(
  { state_dir }: Config,
  { purge }: UninstallOptions,
  { left, others }: { left: readonly Site[]; others: readonly string[] },
): string[] {
  const records = `its records: ${state_dir}, which a new installation of the agent uses`
  const older = others.map((domain) => ({ domain }))
  return [
    ...(left.length > 0 ? [`${listed(left)}, served as before`] : []),
    ...(older.length > 0 ? [`of an agent whose records were purged: ${listed(older)}`] : []),
    ...(left.length + older.length > 0 ? FOLDERS : []),
    ...(purge ? [] : [records]),
    PACKAGES,
  ]
}

function stopped(certificates: readonly string[], trash: readonly Site[]): string[] {
  const renewal = certificates.length > 0 ? `: ${certificates.join(', ')}` : ''
  return [
    `the renewal of certificates${renewal}`,
    'the mail of sites: it is no longer sent to a relay',
    'the restart of sites after updates of PHP: reboot the server after each',
    'stopping the PHP of idle sites, and measuring and limiting disk use',
    ...(trash.length > 0 ? [`purging the trash: ${listed(trash)}`] : []),
  ]
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)]

const MAX_LISTED = 20

function listed(sites: readonly Pick<Site, 'domain'>[]): string {
  const names = sites.slice(0, MAX_LISTED).map(({ domain }) => domain)
  const more = sites.length - names.length
  const list = more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
  return `${sites.length === 1 ? 'the site' : `${sites.length} sites:`} ${list}`
}

/** Moves every site of this agent to the trash, as a dashboard does. */
async function removeAllSites(host: Host): Promise<void> {
  for (const { domain } of await listSites(host)) await runCommand(host, 'site.delete', { domain })
}

/** Permanently deletes the sites in the trash, also partly deleted ones. */
async function emptyTrashes(host: Host): Promise<void> {
  for (const place of ['purging', 'trash'] as const) {
    for (const { domain } of await listSites(host, place)) {
      await runCommand(host, 'site.purge', { domain, confirm: domain, trashed_days: 0 })
    }
  }
}

/** Removes the configuration for all sites, which nothing needs without a site. */
async function removeBase(host: Host): Promise<void> {
  await stopConnectionRate(host)
  for (const path of [...BASE_PATHS, ...RESTART_DROP_INS, UNATTENDED_FILE, TMPFILES]) {
    await removeGenerated(host, path)
  }
  await reloadTested(host)
  await removeSharedEtc(host)
  for (const path of [CONFIGURATION, CACHES, LOGS, LIBRARY, TRASH]) await host.files.remove(path)
  await host.shell.try(['userdel', MAIL_USER])
  await host.shell.try(['systemctl', 'daemon-reload'])
}

/** Runs a command as an operation of the stopped agent: an interrupted one is repeated. */
async function runCommand<N extends CommandName>(host: Host, name: N, params: ParamsOf<N>) {
  const report = (error: unknown) => console.error(String(error))
  const runner = new Runner({ host, commands, report })
  const operation = await runner.start(name, params)
  const failure = await operation.untilEnd()
  if (!failure) return
  const reason = failure.message ?? failure.error
  throw new Error(`${name} failed: ${reason}. Nothing else was removed after it`)
}
