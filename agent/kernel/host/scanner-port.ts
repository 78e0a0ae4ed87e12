import { z } from 'zod'
import { FoundSite } from '#shared/kernel/found-site.ts'
import { Inventory, UnknownUpdates } from '#shared/kernel/inventory.ts'

/** A site by its docroot, and by the users whose rights may read it. */
export const TenantSite = z.object({
  docroot: z.string().startsWith('/'),
  /** The system user of a site that this agent made; undefined: the owner of the docroot. */
  user: z.string().optional(),
  /** The user that PHP runs as. */
  php_user: z.string().optional(),
  php: z.string().optional(),
  /** The domain that visitors use. */
  domain: z.string().optional(),
})
export type TenantSite = z.infer<typeof TenantSite>

/** Why a scan ended early; null: it is complete. */
export const Limit = z.enum(['entries', 'bytes', 'time']).nullable()
export type Limit = z.infer<typeof Limit>

export const ScannedWordpress = z.object({ inventory: Inventory, limit: Limit })
export type ScannedWordpress = z.infer<typeof ScannedWordpress>

export const Application = FoundSite.pick({
  framework: true,
  wp_version: true,
  db_name: true,
  updates: true,
}).extend({
  /** Name of the user that the docroot belongs to, empty where there is none. */
  owner: z.string().max(255),
  limit: Limit,
  unknown_because: UnknownUpdates.optional(),
})
export type Application = z.infer<typeof Application>

/**
 * Whether the database of a site answers its own account: `none` where it has no WordPress with plain
 * settings, or its database is on another server. `error`: MariaDB's number of the error. `version` is
 * another one after a change of its files, options or plugins; only of a database that answers.
 */
export const DatabaseAnswer = z.object({
  state: z.enum(['answers', 'none', 'away', 'refused', 'missing', 'broken', 'busy', 'slow']),
  error: z.number().optional(),
  version: z.string().optional(),
})
export type DatabaseAnswer = z.infer<typeof DatabaseAnswer>

/**
 * Everything that the agent reads of a tenant's files and database, with the tenant's own rights
 * and within limits of time, entries and bytes. This port is the only way: no other code opens a
 * tenant's tree or selects from its tables. Throws when there is no answer in time.
 */
export interface Scanner {
  /** Versions and updates. Undefined: the docroot is a link that a tenant made. */
  inventory(site: TenantSite): Promise<ScannedWordpress | undefined>
  application(site: TenantSite): Promise<Application>
  /** By the account of wp-config.php: its tables of options and posts are there and answer. */
  database(site: TenantSite): Promise<DatabaseAnswer>
  /** DB_PASSWORD of wp-config.php, undefined where it cannot be known for certain. */
  databasePassword(site: TenantSite): Promise<string | undefined>
}

/**
 * An answer that is correct but maybe incomplete. `unsure`: code or links decide about missing
 * values, and only the site itself can follow them, see `kernel/sandbox/reading`; `owner` is the user of
 * the docroot then.
 */
export interface Read<T> {
  answer: T
  unsure: boolean
  owner: string
}

/** A scan that runs nothing. `facts` is the report of the site's own PHP. */
export interface SiteReader {
  inventory(site: TenantSite, facts?: string): Promise<Read<ScannedWordpress | undefined>>
  application(site: TenantSite, facts?: string): Promise<Read<Application>>
  database(site: TenantSite, facts?: string): Promise<Read<DatabaseAnswer>>
  databasePassword(site: TenantSite, facts?: string): Promise<Read<string | undefined>>
}

/** The plain answers, where no PHP may run. */
export function answersOf(reader: SiteReader): Scanner {
  return {
    inventory: async (site) => (await reader.inventory(site)).answer,
    application: async (site) => (await reader.application(site)).answer,
    database: async (site) => (await reader.database(site)).answer,
    databasePassword: async (site) => (await reader.databasePassword(site)).answer,
  }
}
