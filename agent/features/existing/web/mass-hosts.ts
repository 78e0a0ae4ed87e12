import type { Host } from '#agent/kernel/host/ports.ts'
import { canonicalDomain } from '#shared/kernel/names.ts'
import { wildcardFits } from './nginx-variables.ts'
import type { MassHost, VirtualHost } from './virtual-host.ts'

/** Of each folder. */
const MAX_ENTRIES = 10_000
/** Of all server blocks together. */
const MAX_SITES = 5000
const MAX_CANDIDATES = 20_000

interface Search {
  /** Names that a server block has, or that a site was found for. */
  taken: Set<string>
  found: VirtualHost[]
  candidates_left: number
}

/**
 * Adds a virtual host for each site of mass virtual hosts: for each folder that a server block serves
 * under some domain, and no other server block.
 */
export async function withMassHosts(
  { files }: Pick<Host, 'files'>,
  hosts: readonly VirtualHost[],
): Promise<readonly VirtualHost[]> {
  const taken = new Set(hosts.flatMap(({ names }) => names.map((name) => name.toLowerCase())))
  const search: Search = { taken, found: [], candidates_left: MAX_CANDIDATES }
  const folders = new Map<string, Promise<readonly string[]>>()
  for (const host of hosts.filter(({ mass }) => mass).sort(bySpecificity)) {
    const { parent = '' } = host.mass ?? {}
    const listed = folders.get(parent) ?? foldersIn(files, parent)
    folders.set(parent, listed)
    const isOthers = (name: string) => isMoreSpecific(hosts, host, name)
    if (host.mass) addSites(search, host.mass, await listed, isOthers)
  }
  return [...hosts, ...search.found]
}

async function foldersIn(files: Host['files'], parent: string): Promise<readonly string[]> {
  if (parent === '') return []
  const entries = await files.list(parent, MAX_ENTRIES).catch(() => [])
  return entries.flatMap(({ name, kind }) => (kind === 'file' ? [] : [name])).sort()
}

function addSites(
  search: Search,
  mass: MassHost,
  folders: readonly string[],
  isOthers: (name: string) => boolean,
): void {
  const add = (name: string, folder: string) => {
    if (search.candidates_left-- <= 0 || search.found.length >= MAX_SITES) return
    if (canonicalDomain(name) !== name || search.taken.has(name)) return
    const site = mass.answerTo(name)
    if (!site || !isIn(site, mass.parent, folder) || isOthers(name)) return
    search.taken.add(name)
    search.found.push(site)
  }
  for (const folder of folders) {
    if (search.candidates_left <= 0) return
    for (const name of mass.namesFor(folder)) add(name, folder)
  }
  for (const name of mass.names) add(name, '')
}

function isIn({ docroot }: VirtualHost, parent: string, folder: string): boolean {
  if (folder === '') return docroot !== ''
  const path = `${parent === '/' ? '' : parent}/${folder}`
  return docroot === path || docroot.startsWith(`${path}/`)
}

/** As web servers choose: wildcards before expressions, and these before servers for any name. */
const bySpecificity = (one: VirtualHost, other: VirtualHost) => rank(other) - rank(one)

function rank({ names }: VirtualHost): number {
  const ranks = names.map((name) => {
    if (/^\*?\./.test(name)) return 10_000 + name.length
    if (name.endsWith('.*')) return 5000 + name.length
    return name.startsWith('~') ? 1 : 0
  })
  return Math.max(0, ...ranks)
}

function isMoreSpecific(hosts: readonly VirtualHost[], host: VirtualHost, name: string): boolean {
  return hosts.some(
    (other) =>
      other !== host &&
      rank(other) > rank(host) &&
      other.names.some((written) => wildcardFits(written, name)),
  )
}
