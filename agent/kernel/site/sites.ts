import { z } from 'zod'
import { type Change, declared, folder, inOrder, written } from '#agent/kernel/effects/change.ts'
import { create, remove } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { type AccessGrant, AccessGrants } from '#shared/access/site-access.ts'
import { type ClientAccount, ClientAccounts } from '#shared/access/site-clients.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { type SiteJob, SiteJobs } from '#shared/jobs/site-jobs.ts'
import { notFound, ServiceError } from '#shared/kernel/errors.ts'
import { SystemUser } from '#shared/kernel/fields.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { allNamesOf, SiteNames } from '#shared/kernel/site-names.ts'
import { Moving } from '#shared/moves/moving.ts'
import { ObjectCache } from '#shared/object-cache/object-cache.ts'
import { siteCreate } from '#shared/sites/site.create.ts'
import { siteUpdate } from '#shared/sites/site.update.ts'
import { SiteSettings } from '#shared/sites/site-settings.ts'
import { Staging } from '#shared/sites/staging.ts'

/** A managed site: `tls` is the requested kind, not the served one. */
export type Site = Omit<ParamsOf<'site.create'>, 'accept'> &
  Pick<ParamsOf<'site.update'>, 'database_routines' | 'xmlrpc'> & {
    staging?: Staging | undefined
    /** Present when visitors see that it is suspended, and its jobs do not run. */
    suspended?: true | undefined
    settings?: SiteSettings | undefined
    /** Absent when only the primary domain counts, with and without `www.`. */
    names?: SiteNames | undefined
    moving?: Moving | undefined
    /** The cron jobs, beside those of WordPress. */
    jobs?: SiteJob[] | undefined
    /** Absent when nobody can log in. */
    access?: AccessGrant[] | undefined
    /** The accounts with a password; absent without any. */
    clients?: ClientAccount[] | undefined
    /** Present when the debug log of its WordPress is on. */
    debug?: { until: string } | undefined
    /** Absent when its WordPress has no object cache of ours. */
    object_cache?: { memory: number } | undefined
  }

const { database_routines, xmlrpc } = siteUpdate.params.shape
const SiteRecord = siteCreate.params
  .omit({ accept: true })
  .extend({
    database_routines,
    xmlrpc,
    staging: Staging.optional(),
    moving: Moving.optional(),
    // A server may have a user name that nobody can choose any more: it stays readable.
    user: SystemUser,
    names: SiteNames.optional(),
    jobs: SiteJobs.optional(),
    suspended: z.literal(true).optional(),
    settings: SiteSettings.optional(),
    access: AccessGrants.optional(),
    clients: ClientAccounts.optional(),
    debug: z.object({ until: z.iso.datetime().max(40) }).optional(),
    object_cache: ObjectCache.optional(),
  })
  .strict()

/**
 * The folder of a site's record is the state of the site: served, moved to another server, in the
 * trash, being deleted permanently, or a temporary site of an isolation check or of the proof of a
 * backup. `former` has the previous record of a moved site while other settings are taken over.
 */
type RecordFolder = 'sites' | 'moved' | 'former' | 'trash' | 'purging' | 'canaries' | 'proofs'

const folderOf = ({ settings }: Host, folder: RecordFolder) => `${settings.state_dir}/${folder}`
const pathOf = (host: Host, domain: string, folder: RecordFolder) =>
  `${folderOf(host, folder)}/${domain}.json`

export async function findSite(
  host: Host,
  domain: string,
  folder: RecordFolder = 'sites',
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

/** Lists sites by domain. */
export async function listSites(host: Host, folder: RecordFolder = 'sites'): Promise<Site[]> {
  const entries = await host.files.list(folderOf(host, folder))
  const domains = entries
    .filter(({ name, kind }) => kind === 'file' && /^[^.].*\.json$/.test(name))
    .map(({ name }) => name.slice(0, -'.json'.length))
  const sites = await Promise.all(domains.sort().map((domain) => findSite(host, domain, folder)))
  return sites.filter((site) => site !== undefined)
}

/** Writes the record without effects in a plan. */
export const siteRecord = (host: Host, site: Site, place: RecordFolder = 'sites'): Change =>
  inOrder(
    folder(host, folderOf(host, place), { mode: 0o700 }),
    written(host, pathOf(host, site.domain, place), `${JSON.stringify(site, null, 2)}\n`, {
      mode: 0o600,
    }),
  )

export const writeSite = (...record: Parameters<typeof siteRecord>): Promise<void> =>
  siteRecord(...record).apply()

/** Moves the record with one rename: the state of a site changes atomically. */
export const moveSite = (
  host: Host,
  domain: string,
  from: RecordFolder,
  to: RecordFolder,
): Change => {
  const [before, after] = [pathOf(host, domain, from), pathOf(host, domain, to)]
  return inOrder(
    folder(host, folderOf(host, to), { mode: 0o700 }),
    declared([remove('file', before), create('file', after)], () =>
      host.files.rename(before, after),
    ),
  )
}

export function removeSite(host: Host, domain: string, place: RecordFolder): Change {
  const path = pathOf(host, domain, place)
  return declared([remove('file', path)], () => host.files.remove(path))
}

/** Finds the first other site in this folder that has one of these names, also without `www.`. */
export async function findSiteWithName(
  host: Host,
  names: readonly string[],
  { folder, except }: { folder?: RecordFolder; except?: string } = {},
): Promise<Site | undefined> {
  const apexes = new Set(names.map(apexOf))
  return (await listSites(host, folder)).find(
    (site) => site.domain !== except && allNamesOf(site).some((name) => apexes.has(apexOf(name))),
  )
}

/** Parses the record of a site in a backup; undefined for one that this agent cannot read. */
export const recordIn = (value: unknown): Site | undefined => SiteRecord.safeParse(value).data

function parsed(text: string, path: string): Site {
  const site = parseJson(SiteRecord, text)
  if (!site) throw new Error(`${path} is not the record of a site: restore it from a backup`)
  return site
}
