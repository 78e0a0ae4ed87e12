import { apexOf, canonicalDomain } from '#shared/kernel/names.ts'
import { type Backends, backendsOf } from './backends.ts'
import { isAnyName } from './mass-names.ts'
import { type HostKind, isLoopback, type Listen, type VirtualHost } from './virtual-host.ts'

export interface Vhost extends Omit<VirtualHost, 'tls' | 'mass'> {
  /** Empty if none of its names is a domain: a wildcard, an expression, an address, any name. */
  domain: string
}

/** The answer to one name in one server block. */
interface NameEntry {
  key: string
  /** The name as a domain; empty if it is none. */
  domain: string
  name: string
  host: VirtualHost
  /** The server behind it, if that is another one of this machine. */
  source: VirtualHost
  order: number
  isPublic: boolean
}

interface ChosenSite extends Vhost {
  names: string[]
  sources: Set<VirtualHost>
  firsts: Set<string>
}

const PUBLIC = [80, 443]
const KINDS: readonly HostKind[] = ['none', 'closed', 'text', 'proxy', 'files']
const MAX_PROXIES = 3

/**
 * Returns the sites of server blocks. Of several for one name, one on 80 or 443 ranks above one on
 * another port, one with PHP above plain files, and these above a proxy.
 */
export function chooseSites(hosts: readonly VirtualHost[], local: ReadonlySet<string>): Vhost[] {
  const backends = backendsOf(hosts, local)
  const entries = new Map<string, NameEntry[]>()
  for (const [order, host] of hosts.entries()) {
    for (const name of host.names) {
      const entry = entryOf(host, name, order, backends)
      if (!entry) continue
      const same = entries.get(entry.key)
      if (same) same.push(entry)
      else entries.set(entry.key, [entry])
    }
  }
  const sites = new Map<string, SameContent>()
  const firstOf = firstDomains()
  const chosen = [...entries.values()].map(chosenOf).filter((entry) => entry !== undefined)
  // Names first: a wildcard beside one belongs to its site.
  const named = chosen.filter(({ domain }) => domain !== '')
  for (const entry of [...named, ...chosen.filter(({ domain }) => domain === '')])
    add(sites, entry, firstOf)
  return [...sites.values()].flatMap(({ sites: found }) => found).map(vhostOf)
}

const domainIn = (name: string) => canonicalDomain(name.replace(/^\./, ''))

function entryOf(
  host: VirtualHost,
  name: string,
  order: number,
  backends: Backends,
): NameEntry | undefined {
  const domain = domainIn(name)
  const isPublic = host.listens.some(isReached)
  const isAny = domain === undefined && isAnyName(name)
  const place = host.listens.find((listen) => listen.default && isReached(listen))
  // A server for any name on other ports only, or without a domain for this machine only, is part
  // of the machine and no site.
  if (isAny && !place) return undefined
  if (domain === undefined && host.listens.every(({ address }) => isLoopback(address)))
    return undefined
  const key = domain ?? (isAny ? `_ ${place?.address}:${place?.port}` : name.toLowerCase())
  const source = followProxies(host, isAny ? '' : key, backends)
  const shown = isAny ? '_' : (domain ?? name)
  return { key, domain: domain ?? '', name: shown, host, source, order, isPublic }
}

const isReached = ({ address, port }: Listen) => PUBLIC.includes(port) && !isLoopback(address)

/** Follows a proxy to its server on this machine; a proxy to another machine stays one. */
function followProxies(host: VirtualHost, name: string, backends: Backends): VirtualHost {
  let at = host
  for (let hop = 0; hop < MAX_PROXIES && at.kind === 'proxy'; hop++) {
    const next = backends(at.proxy, name)
    if (!next || next === at || next === host) break
    at = next
  }
  return at
}

function chosenOf(all: readonly NameEntry[]): NameEntry | undefined {
  const best = all.reduce((one, other) => (rank(other) > rank(one) ? other : one))
  if (best.source.kind === 'none') return undefined
  // A server that refuses every unknown name is not a site.
  if (best.name === '_' && best.source.kind === 'closed') return undefined
  // A cache in between is not supported, but the same name behind it is.
  const served = best.source.kind === 'proxy' && all.find(({ source }) => source.kind === 'files')
  const secure = all.find(({ host, source }) => host.tls && source.kind !== 'none')
  const tls =
    best.host.tls || !secure || secure.isPublic !== best.isPublic ? best.host : secure.host
  return { ...best, host: tls, ...(served && { source: served.source }) }
}

function rank({ host, source, isPublic, order }: NameEntry): number {
  const kind = KINDS.indexOf(source.kind)
  const php = source.php.address !== '' || source.php.version !== ''
  const hasFolder = host.docroot !== ''
  const scores = [kind > 0, isPublic, kind > 1, php, kind > 2, kind > 3, host.tls, hasFolder]
  return scores.reduce((sum, score) => sum * 2 + Number(score), 0) - order / 1e9
}

/** The sites with one folder, proxy and PHP, with indexes for finding the site of an entry. */
interface SameContent {
  sites: ChosenSite[]
  bySource: Map<VirtualHost, ChosenSite>
  byName: Map<string, ChosenSite>
  byApex: Map<string, ChosenSite>
}

function add(sites: Map<string, SameContent>, entry: NameEntry, firstOf: FirstDomain): void {
  const { source, host, domain, name } = entry
  const { docroot, proxy, php } = source
  const content = JSON.stringify([docroot, proxy, php])
  const same = sites.get(content) ?? {
    sites: [],
    bySource: new Map(),
    byName: new Map(),
    byApex: new Map(),
  }
  sites.set(content, same)
  const site = siteFor(same, entry) ?? newSite(same, entry)
  site.names.push(name)
  site.sources.add(source)
  site.firsts.add(firstOf(source) || firstOf(host))
  if (site.certificate === '') site.certificate = host.certificate
  if (!same.bySource.has(source)) same.bySource.set(source, site)
  if (!same.byName.has(name)) same.byName.set(name, site)
  const apex = apexOf(domain)
  if (domain !== '' && !same.byApex.has(apex)) same.byApex.set(apex, site)
}

/** Finds the site of the same server, or one that has a name of it with or without www. */
function siteFor(
  { sites, bySource, byName, byApex }: SameContent,
  entry: NameEntry,
): ChosenSite | undefined {
  const { source, domain: own } = entry
  const known = bySource.get(source)
  if (known) return known
  if (own === '')
    return source.docroot === '' ? undefined : sites.find(({ domain }) => domain === '')
  if (source.docroot === '' && source.proxy === '') return undefined
  const shared = [apexOf(own), ...source.names].map((name, at) =>
    at === 0 ? byApex.get(name) : byName.get(name),
  )
  return shared.find((site) => site !== undefined && site.domain !== '')
}

function newSite({ sites }: SameContent, { source, host, domain }: NameEntry): ChosenSite {
  const { tls: _, mass: __, ...rest } = source
  const { certificate, listens } = host
  const unknown = { ...source.unknown, ...(host.unknown.tls && { tls: host.unknown.tls }) }
  const found = { ...rest, domain, names: [], certificate, listens, unknown }
  const site = { ...found, sources: new Set<VirtualHost>(), firsts: new Set<string>() }
  sites.push(site)
  return site
}

type FirstDomain = (host: VirtualHost) => string

/** Finds the first domain of a server block once for all its names. */
function firstDomains(): FirstDomain {
  const known = new Map<VirtualHost, string>()
  return (host) => {
    const found = known.get(host) ?? host.names.map(domainIn).find((name) => name) ?? ''
    known.set(host, found)
    return found
  }
}

function vhostOf({ sources: _, firsts, ...site }: ChosenSite): Vhost {
  const names = [...new Set(site.names)]
  const [first = '', ...others] = firsts
  const bare = apexOf(first)
  const agreed = others.length === 0 ? first : names.includes(bare) ? bare : first
  return { ...site, names, domain: site.domain && names.includes(agreed) ? agreed : site.domain }
}
