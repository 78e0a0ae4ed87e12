import { z } from 'zod'
import { FoundSite } from '#shared/kernel/found-site.ts'
import { Inventory, UnknownUpdates } from '#shared/kernel/inventory.ts'

/** A site by its docroot, and by the users whose rights may read it. */
export const TenantSite = z.object({
  docroot: z.string().startsWith('/'),
  /** The system user of a site of this agent; undefined for the owner of the docroot. */
  user: z.string().optional(),
  /** The user that PHP runs as. */
  php_user: z.string().optional(),
  php: z.string().optional(),
  /** The domain that visitors use. */
  domain: z.string().optional(),
})
export type TenantSite = z.infer<typeof TenantSite>

/** The limit that ended a scan early; null for a complete one. */
export const ScanLimit = z.enum(['entries', 'bytes', 'time']).nullable()
export type ScanLimit = z.infer<typeof ScanLimit>

export const ScannedWordpress = z.object({ inventory: Inventory, limit: ScanLimit })
export type ScannedWordpress = z.infer<typeof ScannedWordpress>

export const Application = FoundSite.pick({
  framework: true,
  wp_version: true,
  db_name: true,
  updates: true,
}).extend({
  /** The name of the user that the docroot belongs to; empty without one. */
  owner: z.string().max(255),
  limit: ScanLimit,
  unknown_because: UnknownUpdates.optional(),
})
export type Application = z.infer<typeof Application>

/**
 * Whether the database of a site answers its own account: `none` without a WordPress with plain
 * settings, or with a database on another server. `error` is MariaDB's number of the error.
 * `version` changes with files, options or plugins; only of a database that answers.
 */
export const DatabaseAnswer = z.object({
  state: z.enum(['answers', 'none', 'away', 'refused', 'missing', 'broken', 'busy', 'slow']),
  error: z.number().optional(),
  version: z.string().optional(),
})
export type DatabaseAnswer = z.infer<typeof DatabaseAnswer>

/**
 * Reads a tenant's files and database with the tenant's own rights and within limits of time,
 * entries and bytes. This port is the only way: no other code opens a tenant's tree or selects from
 * its tables. Throws when there is no answer in time.
 */
export interface Scanner {
  /** Returns versions and updates; undefined when the docroot is a link that a tenant made. */
  inventory(site: TenantSite): Promise<ScannedWordpress | undefined>
  application(site: TenantSite): Promise<Application>
  /** Tests the account of wp-config.php: its tables of options and posts exist and answer. */
  database(site: TenantSite): Promise<DatabaseAnswer>
  /** Returns DB_PASSWORD of wp-config.php; undefined where it cannot be known for certain. */
  databasePassword(site: TenantSite): Promise<string | undefined>
}

/**
 * An answer that is correct but maybe incomplete. `unsure` means that code or links decide about
 * missing values, which only the site itself can follow, see `kernel/sandbox/reading`; `owner` is
 * then the user of the docroot.
 */
export interface ScanReading<T> {
  answer: T
  unsure: boolean
  owner: string
}

/** Scans without running anything. `facts` is the report of the site's own PHP. */
export interface SiteReader {
  inventory(site: TenantSite, facts?: string): Promise<ScanReading<ScannedWordpress | undefined>>
  application(site: TenantSite, facts?: string): Promise<ScanReading<Application>>
  database(site: TenantSite, facts?: string): Promise<ScanReading<DatabaseAnswer>>
  databasePassword(site: TenantSite, facts?: string): Promise<ScanReading<string | undefined>>
}

/** Returns the plain answers, for servers where no PHP may run. */
export function answersOf(reader: SiteReader): Scanner {
  return {
    inventory: async (site) => (await reader.inventory(site)).answer,
    application: async (site) => (await reader.application(site)).answer,
    database: async (site) => (await reader.database(site)).answer,
    databasePassword: async (site) => (await reader.databasePassword(site)).answer,
  }
}
