import type { FoundSite } from '#shared/agent.ts'
import type { Host } from '../host/ports.ts'
import { parseCertificate } from './certificate-files.ts'
import { type FoundPool, poolsBySocket, tierFinder } from './pools.ts'
import { openSite, readWpConfig, type SiteRoot } from './site-root.ts'
import { listSites, type Site } from './sites.ts'
import { listVhosts, type Vhost } from './vhosts.ts'
import { coreVersion } from './wp-files.ts'
import { scanWordpress } from './wp-scan.ts'

interface Machine {
  host: Host
  own: ReadonlyMap<string, Site>
  pools: ReadonlyMap<string, FoundPool>
  /** User names by their number. */
  users: ReadonlyMap<number, string>
  tierOf(children: number): FoundSite['tier']
}

type Application = Pick<FoundSite, 'framework' | 'wp_version' | 'db_name' | 'updates'>

const AT_ONCE = 8
const UNKNOWN = { plugins: null, themes: null, core: null }

/**
 * Every site that this machine serves, made by this agent or not, sorted by domain. What cannot be
 * read of one site is empty or unknown and takes nothing from the others.
 */
export async function discoverSites(host: Host): Promise<FoundSite[]> {
  const [vhosts, sites, pools, users, tierOf] = await Promise.all([
    listVhosts(host),
    listSites(host),
    poolsBySocket(host),
    usersById(host),
    tierFinder(host),
  ])
  const own = new Map(sites.map((site) => [site.domain, site]))
  const machine = { host, own, pools, users, tierOf }
  const found: FoundSite[] = []
  const waiting = [...vhosts]
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop())
      found.push(await describe(machine, next))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found.sort((one, other) => (one.domain < other.domain ? -1 : 1))
}

async function describe(machine: Machine, vhost: Vhost): Promise<FoundSite> {
  const { host, own, pools } = machine
  const site = vhost.names.map((name) => own.get(name)).find((known) => known !== undefined)
  const pool = pools.get(vhost.socket)
  return {
    domain: site?.domain ?? vhost.domain,
    user: site?.user ?? (await ownerOf(machine, vhost.docroot, pool)),
    docroot: vhost.docroot,
    php: pool?.php ?? site?.php ?? /(\d\.\d+)/.exec(vhost.socket)?.[1] ?? '',
    tier: site?.tier ?? machine.tierOf(pool?.children ?? 0),
    tls: await tlsOf(host, vhost.certificate),
    ...(await applicationOf(host, vhost)),
  }
}

/** The docroot's owner; where that is root, the user that PHP runs as tells more. */
async function ownerOf(
  { host, users }: Machine,
  docroot: string,
  pool: FoundPool | undefined,
): Promise<string> {
  const found = docroot === '' ? undefined : await host.files.stat(docroot).catch(() => undefined)
  const owner = found && users.get(found.uid)
  if (found?.uid === 0 || owner === undefined) return pool?.user || (owner ?? '')
  return owner
}

/** Self-signed: it names itself as its issuer; every other one is an authority's. */
async function tlsOf(host: Host, path: string): Promise<FoundSite['tls']> {
  if (path === '') return 'none'
  const found = parseCertificate(await host.files.read(path).catch(() => undefined))
  if (!found) return 'none'
  return found.issuer === found.subject ? 'self-signed' : 'letsencrypt'
}

async function applicationOf(host: Host, vhost: Vhost): Promise<Application> {
  const none = { wp_version: '', db_name: '', updates: UNKNOWN }
  const root = vhost.docroot === '' ? undefined : openSite(host, vhost.docroot)
  if (!root) return { framework: 'unknown', ...none }
  const config = coreVersion(root) === undefined ? undefined : readWpConfig(root)
  if (!config) return { framework: otherFramework(root, vhost.socket), ...none }
  const { wp_version, updates } = await scanWordpress(host, root, config)
  const db_name = String(config.constants.get('DB_NAME') ?? '').slice(0, 255)
  return { framework: 'wordpress', wp_version, db_name, updates }
}

function otherFramework({ tree, base }: SiteRoot, socket: string): FoundSite['framework'] {
  const files = tree.list(base).filter(({ name, kind }) => kind === 'file' && !name.startsWith('.'))
  if (files.length === 0) return 'unknown'
  return socket !== '' && files.some(({ name }) => name.endsWith('.php')) ? 'php' : 'static'
}

async function usersById({ files }: Host): Promise<Map<number, string>> {
  const lines = ((await files.read('/etc/passwd')) ?? '').split('\n')
  return new Map(
    lines.map((line) => line.split(':')).map(([name = '', , uid]) => [Number(uid), name]),
  )
}
