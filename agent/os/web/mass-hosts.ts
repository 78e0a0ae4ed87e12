import type { Host } from '#agent/host/ports.ts'
import { canonicalDomain } from '#shared/names.ts'
import { wildcardFits } from './nginx-variables.ts'
import type { MassHost, VirtualHost } from './virtual-host.ts'

/** The entries of a folder that are read, and the sites of one server block. */
const MAX_ENTRIES = 10_000
const MAX_SITES = 1000

/**
 * Adds a virtual host for each site of mass virtual hosts: for each folder that a server block serves
 * under some domain, and no other server block.
 */
export async function withMassHosts(
  { files }: Pick<Host, 'files'>,
  hosts: readonly VirtualHost[],
): Promise<readonly VirtualHost[]> {
  const named = new Set(hosts.flatMap(({ names }) => names.map((name) => name.toLowerCase())))
  const found: VirtualHost[] = []
  for (const host of [...hosts].sort(bySpecificity)) {
    if (!host.mass) continue
    const entries = host.mass.parent ? await files.list(host.mass.parent, MAX_ENTRIES) : []
    const folders = entries.filter(({ kind }) => kind !== 'file').map(({ name }) => name)
    for (const site of sitesOf(host, host.mass, folders.sort())) {
      const [name = ''] = site.names
      if (named.has(name) || isMoreSpecific(hosts, host, name)) continue
      named.add(name)
      found.push(site)
    }
  }
  return [...hosts, ...found]
}

function sitesOf(host: VirtualHost, mass: MassHost, folders: readonly string[]): VirtualHost[] {
  const found: VirtualHost[] = []
  const siteOf = (name: string, folder: string) => {
    const site = canonicalDomain(name) === name ? mass.answerTo(name) : undefined
    if (site && isIn(site, mass.parent, folder)) found.push({ ...site, listens: host.listens })
  }
  for (const folder of folders) {
    for (const name of mass.namesFor(folder)) siteOf(name, folder)
    if (found.length >= MAX_SITES) return found
  }
  for (const name of mass.names.slice(0, MAX_SITES)) siteOf(name, '')
  return found
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
