import { siteCreate } from '#shared/commands/site.create.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { notFound } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import type { Host } from '../host/ports.ts'

/** A site that this agent made: `tls` is what was asked for, not what is served. */
export type Site = ParamsOf<'site.create'>

const Record = siteCreate.params.strict()

const folderOf = ({ settings }: Host) => `${settings.state_dir}/sites`
const pathOf = (host: Host, domain: string) => `${folderOf(host)}/${domain}.json`

export async function findSite(host: Host, domain: string): Promise<Site | undefined> {
  const text = await host.files.read(pathOf(host, domain))
  return text === undefined ? undefined : parsed(text, pathOf(host, domain))
}

/** Throws not_found naming the domain. */
export async function getSite(host: Host, domain: string): Promise<Site> {
  const site = await findSite(host, domain)
  if (!site) throw notFound(`Site ${domain}`)
  return site
}

/** Sorted by domain. */
export async function listSites(host: Host): Promise<Site[]> {
  const entries = await host.files.list(folderOf(host))
  const domains = entries
    .filter(({ name, kind }) => kind === 'file' && /^[^.].*\.json$/.test(name))
    .map(({ name }) => name.slice(0, -'.json'.length))
  const sites = await Promise.all(domains.sort().map((domain) => findSite(host, domain)))
  return sites.filter((site) => site !== undefined)
}

export async function writeSite(host: Host, site: Site): Promise<void> {
  await host.files.mkdir(folderOf(host), { mode: 0o700 })
  const text = `${JSON.stringify(site, null, 2)}\n`
  await host.files.write(pathOf(host, site.domain), text, { mode: 0o600 })
}

export async function removeSite(host: Host, domain: string): Promise<void> {
  await host.files.remove(pathOf(host, domain))
}

/** The names that a site answers to: with and without `www.`, its own first. */
export function namesOf(domain: string): string[] {
  const apex = apexOf(domain)
  const other = apex === domain ? `www.${domain}` : apex
  return other.length > 253 ? [domain] : [domain, other]
}

function parsed(text: string, path: string): Site {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error(`${path} is not JSON: restore it from a backup`)
  }
  const result = Record.safeParse(value)
  if (!result.success) throw new Error(`${path} is not the record of a site: restore it`)
  return result.data
}
