import type { X509Certificate } from 'node:crypto'
import { poolFiles } from '#agent/features/existing/web/fpm-files.ts'
import { isLoopback } from '#agent/features/existing/web/virtual-host.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { mapConcurrently } from '#agent/kernel/host/processes/map-concurrently.ts'
import { systemProcesses } from '#agent/kernel/host/processes/processes.ts'
import { parseCertificate } from '#agent/kernel/site/certificate-files.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import type { FoundSite, UnnamedSite } from '#shared/kernel/found-site.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import type { Web, WebProgram } from '#shared/servers/agent.ts'
import type { Unknown, UnknownReason } from '#shared/servers/unknown-reasons.ts'
import { applicationOf } from './found-application.ts'
import { type FindPool, type FoundPool, findPools, tierFinder } from './pools.ts'
import { listServed, type Vhost } from './vhosts.ts'

interface DiscoveryContext {
  host: Host
  own: ReadonlyMap<string, Site>
  poolAt: FindPool
  listeners: readonly Listener[]
  tierOf(children: number): FoundSite['tier']
}

const MAX_CONCURRENT = 8
const MAX_NAMES = 1000

/**
 * Lists every site that this machine serves, managed or not, sorted by domain. Unreadable values of
 * one site are empty or unknown, with a reason, and do not affect the other sites.
 */
export async function discoverSites(host: Host): Promise<FoundSite[]> {
  const { machine, vhosts } = await readContext(host)
  const hidden = await movingNames(host, machine.own)
  const named = vhosts.filter(
    ({ domain, names }) => domain !== '' && !names.some((name) => hidden.has(name)),
  )
  const found = await mapConcurrently(named, MAX_CONCURRENT, async (vhost) => {
    const site = vhost.names.map((name) => machine.own.get(name)).find(Boolean)
    const domain = site?.domain ?? vhost.domain
    const suspended = site?.suspended && { suspended: site.suspended }
    return { domain, ...(await describeSite(machine, vhost, site)), ...suspended }
  })
  return found.sort((one, other) => (one.domain < other.domain ? -1 : 1))
}

/**
 * Returns the names of sites that do not count here: during a move only one server has the site,
 * neither the one with a closed copy nor one that only forwards.
 */
async function movingNames(host: Host, own: DiscoveryContext['own']): Promise<ReadonlySet<string>> {
  const closed = [...own.values()].filter(({ moving }) => moving?.closed)
  const all = [...closed, ...(await listSites(host, 'moved'))]
  return new Set(all.flatMap(allNamesOf))
}

/** Lists the web servers of this machine, and the sites without a domain. */
export async function discoverWeb(host: Host): Promise<Web> {
  const { machine, vhosts } = await readContext(host)
  const nameless = vhosts.filter(({ domain }) => domain === '')
  const unnamed: UnnamedSite[] = await mapConcurrently(nameless, MAX_CONCURRENT, (vhost) =>
    describeSite(machine, vhost, undefined),
  )
  return { programs: webPrograms(machine.listeners), unnamed }
}

async function readContext(host: Host): Promise<{ machine: DiscoveryContext; vhosts: Vhost[] }> {
  const listening = listListeners(host)
  const occupied = async () => (await listening).some(({ port }) => WEB_PORTS.includes(port))
  const processes = await systemProcesses(host)
  const [vhosts, sites, tierOf, listeners, pools] = await Promise.all([
    listServed(host, processes, occupied),
    listSites(host),
    tierFinder(host),
    listening,
    poolFiles(host, processes),
  ])
  const addresses = vhosts.map(({ php }) => php.address)
  const poolAt = await findPools(host, processes, addresses, pools)
  const own = new Map(sites.map((site) => [site.domain, site]))
  return { machine: { host, own, poolAt, listeners, tierOf }, vhosts }
}

async function describeSite(machine: DiscoveryContext, vhost: Vhost, site: Site | undefined) {
  const pool = machine.poolAt(vhost.php.address)
  const php = site?.php ?? (pool ? pool.php : vhost.php.version)
  const runs = Object.values(vhost.php).some(Boolean) || vhost.unknown.php !== undefined
  const php_user = pool?.user || vhost.user
  const rights = { user: site?.user, php_user, php, runs }
  const [certificate, application] = await Promise.all([
    site ? undefined : readFoundCertificate(machine.host, vhost),
    applicationOf(machine.host, vhost, rights),
  ])
  const { owner, unknown, ...rest } = application
  return {
    names: vhost.names.slice(0, MAX_NAMES),
    closed: vhost.kind === 'closed',
    user: site?.user ?? userOf(owner, php_user),
    docroot: vhost.docroot,
    php,
    tier: site?.tier ?? machine.tierOf(pool?.children ?? 0),
    // The certificate that a managed site should have: its health reports a missing one.
    tls: site?.tls ?? certificate?.tls ?? 'none',
    ...rest,
    unknown: {
      ...unknown,
      ...reasonsOf(vhost, runs && php === '' ? whyNoPhp(machine, vhost, pool) : undefined),
      ...(certificate?.reason && { tls: certificate.reason }),
    },
  }
}

function reasonsOf(vhost: Vhost, no_php: UnknownReason | undefined): Unknown {
  const php = vhost.unknown.php ?? no_php
  const docroot = vhost.unknown.docroot ?? (vhost.kind === 'proxy' ? 'proxied' : 'fixed_answer')
  return { ...(vhost.docroot === '' && { docroot }), ...(php && { php }) }
}

/** Returns the docroot's owner, or the user of PHP if that owner is root. */
function userOf(owner: string, php_user: string): string {
  return owner === '' || owner === 'root' ? php_user || owner : owner
}

function whyNoPhp(
  { listeners }: DiscoveryContext,
  { php: { address } }: Vhost,
  pool: FoundPool | undefined,
): UnknownReason {
  if (pool) return 'pool_version'
  const [, machine = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? []
  if (port === '') return 'no_pool'
  if (!isLoopback(machine)) return 'elsewhere'
  const listener = listeners.find((each) => each.port === Number(port))
  return listener && !listener.program.startsWith('php') ? 'other_program' : 'no_pool'
}

const WEB_PORTS: readonly number[] = [80, 443]
/** The names of supported web servers in ss(8): the first 15 characters of the program. */
const SUPPORTED_SERVERS = [
  'nginx',
  'nginx-rc',
  'openresty',
  'apache2',
  'apache2-rc',
  'httpd',
  'caddy',
  'openlitespeed',
  'litespeed',
]

/** Lists the web servers of this machine; unsupported ones have a reason. */
export function webPrograms(listeners: readonly Listener[]): WebProgram[] {
  const ports = new Map<string, Set<number>>()
  for (const { program, port } of listeners) {
    if (!WEB_PORTS.includes(port)) continue
    ports.set(program, (ports.get(program) ?? new Set()).add(port))
  }
  return [...ports].map(([program, found]) => {
    const understood = SUPPORTED_SERVERS.includes(program)
    const reason = understood ? null : 'program_not_understood'
    return { program, ports: [...found].sort((a, b) => a - b), understood, reason }
  })
}

/** A program that waits for connections on a TCP port of this machine. */
interface Listener {
  address: string
  port: number
  program: string
  pid: number
}

/** Returns an empty list if ss(8) fails. The agent itself has no network. */
async function listListeners({ shell }: Pick<Host, 'shell'>): Promise<Listener[]> {
  const options = { unconfined: true, timeout_ms: 10_000 }
  const { code, stdout } = await shell.try(['ss', '-Hltnp'], options)
  return code === 0 ? stdout.split('\n').flatMap(listenersIn) : []
}

function listenersIn(line: string): Listener[] {
  const [, address = '', port = ''] = /^LISTEN\s+\d+\s+\d+\s+(\S+):(\d+)\s/.exec(line) ?? []
  const [, program = '', pid = '0'] = /users:\(\("([^"]*)",pid=(\d+)/.exec(line) ?? []
  if (port === '') return []
  const isAny = ['0.0.0.0', '[::]', '*'].includes(address)
  return [{ address: isAny ? '' : address, port: Number(port), program, pid: Number(pid) }]
}

interface CertificateMode {
  tls: FoundSite['tls']
  reason: UnknownReason | undefined
}

/** The names of Let's Encrypt's own certificates, including its staging environment. */
const LETS_ENCRYPT = /^O=(\(STAGING\) )?Let's Encrypt$/m

/** Reads the authority that signed the configured certificate. */
async function readFoundCertificate(
  host: Host,
  { certificate, unknown }: Pick<Vhost, 'certificate' | 'unknown'>,
): Promise<CertificateMode> {
  if (unknown.tls) return { tls: 'none', reason: unknown.tls }
  if (certificate === '') return { tls: 'none', reason: undefined }
  const found = parseCertificate(await host.files.read(certificate).catch(() => undefined))
  return found
    ? { tls: modeOf(found), reason: undefined }
    : { tls: 'none', reason: 'certificate_unreadable' }
}

function modeOf({ issuer, subject }: X509Certificate): FoundSite['tls'] {
  // Caddy has an internal authority for names that public authorities do not support.
  if (issuer === subject || issuer.includes('Caddy Local Authority')) return 'self-signed'
  return LETS_ENCRYPT.test(issuer) ? 'letsencrypt' : 'other'
}
