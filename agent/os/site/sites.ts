import type { Host } from '#agent/host/ports.ts'
import { type Change, declared, folder, inOrder } from '#agent/os/effects/change.ts'
import { create, planMake, planWrite, remove } from '#agent/os/effects/effects.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { notFound, ServiceError } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { siteCreate } from '#shared/operation-types/site.create.ts'
import { siteUpdate } from '#shared/operation-types/site.update.ts'
import { parseJson } from '#shared/parse.ts'
import type { Effect } from '#shared/plan.ts'

/** A managed site: `tls` is the requested kind, not the served one. */
export type Site = Omit<ParamsOf<'site.create'>, 'accept'> &
  Pick<ParamsOf<'site.update'>, 'database_routines' | 'xmlrpc'>

const { database_routines, xmlrpc } = siteUpdate.params.shape
const Record = siteCreate.params
  .omit({ accept: true })
  .extend({ database_routines, xmlrpc })
  .strict()

/**
 * The folder of a site's record is the state of the site: served, in the trash, being deleted
 * permanently, or a temporary site of an isolation check.
 */
type Folder = 'sites' | 'trash' | 'purging' | 'canaries'

const folderOf = ({ settings }: Host, folder: Folder) => `${settings.state_dir}/${folder}`
const pathOf = (host: Host, domain: string, folder: Folder) =>
  `${folderOf(host, folder)}/${domain}.json`

export async function findSite(
  host: Host,
  domain: string,
  folder: Folder = 'sites',
): Promise<Site | undefined> {
  const path = pathOf(host, domain, folder)
  const text = await host.files.read(path)
  return text === undefined ? undefined : parsed(text, path)
}

/** Throws not_found naming the domain, also for a site in the trash. */
export async function getSite(host: Host, domain: string): Promise<Site> {
  const site = await findSite(host, domain)
  if (site) return site
  if (!(await findSite(host, domain, 'trash'))) throw notFound(`Site ${domain}`)
  const message = `Site ${domain} is in the trash: restore it or delete it permanently`
  throw new ServiceError('not_found', { message })
}

/** Sorted by domain. */
export async function listSites(host: Host, folder: Folder = 'sites'): Promise<Site[]> {
  const entries = await host.files.list(folderOf(host, folder))
  const domains = entries
    .filter(({ name, kind }) => kind === 'file' && /^[^.].*\.json$/.test(name))
    .map(({ name }) => name.slice(0, -'.json'.length))
  const sites = await Promise.all(domains.sort().map((domain) => findSite(host, domain, folder)))
  return sites.filter((site) => site !== undefined)
}

export async function writeSite(host: Host, site: Site, folder: Folder = 'sites'): Promise<void> {
  await host.files.mkdir(folderOf(host, folder), { mode: 0o700 })
  await host.files.write(pathOf(host, site.domain, folder), textOf(site), { mode: 0o600 })
}

const textOf = (site: Site) => `${JSON.stringify(site, null, 2)}\n`

/** What `writeSite` would do. */
export async function planWriteSite(
  host: Host,
  site: Site,
  folder: Folder = 'sites',
): Promise<Effect[]> {
  const path = pathOf(host, site.domain, folder)
  const made = await planMake(host, 'folder', folderOf(host, folder))
  return [...made, ...planWrite(path, await host.files.read(path), textOf(site))]
}

/** One rename: the state of a site changes atomically. */
export const moveSite = (host: Host, domain: string, from: Folder, to: Folder): Change => {
  const [before, after] = [pathOf(host, domain, from), pathOf(host, domain, to)]
  return inOrder(
    folder(host, folderOf(host, to), { mode: 0o700 }),
    declared([remove('file', before), create('file', after)], () =>
      host.files.rename(before, after),
    ),
  )
}

export function removeSite(host: Host, domain: string, place: Folder): Change {
  const path = pathOf(host, domain, place)
  return declared([remove('file', path)], () => host.files.remove(path))
}

/** The names of a site: its own first, then with or without `www.`. */
export function namesOf(domain: string): string[] {
  const apex = apexOf(domain)
  const other = apex === domain ? `www.${domain}` : apex
  return other.length > 253 ? [domain] : [domain, other]
}

function parsed(text: string, path: string): Site {
  const site = parseJson(Record, text)
  if (!site) throw new Error(`${path} is not the record of a site: restore it from a backup`)
  return site
}
