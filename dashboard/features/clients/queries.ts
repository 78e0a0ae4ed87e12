import {
  type AnyColumn,
  and,
  asc,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  or,
  sql,
} from 'drizzle-orm'
import { HEALTH_COLUMNS } from '#dashboard/features/health/queries.ts'
import { people, site_access, site_clients } from '#dashboard/kernel/db/access-schema.ts'
import { backup_proofs, backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { site_copies, staging_access } from '#dashboard/kernel/db/copies-schema.ts'
import { site_days } from '#dashboard/kernel/db/numbers-schema.ts'
import { operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import { site_settings } from '#dashboard/kernel/db/settings-schema.ts'
import { isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'

/** The condition for sites that clients see: in use, and no copies for tests. */
const isForClients = and(
  inArray(sites.status, ['active', 'suspended', 'missing']),
  isNull(sites.ignored_at),
  eq(sites.staging, false),
)

/** Selects what a client sees of sites; `since` is in seconds since 1970. */
const selectSites = ({ read }: Database, since: number) =>
  read
    .select({
      ...HEALTH_COLUMNS,
      id: sites.id,
      domain: sites.domain,
      status: sites.status,
      found: sites.found,
      created_at: sites.created_at,
      has_notice: sql<boolean>`exists (select 1 from ${site_settings}
        where ${site_settings.site_id} = ${sites.id}
          and ${site_settings.settings} ->> '$.maintenance' is not null)`.mapWith(Boolean),
      requests: sql<number | null>`(select sum(${site_days.requests}) from ${site_days}
        where ${site_days.site_id} = ${sites.id} and ${site_days.at} >= ${since})`,
      last_backup_at: sql<string | null>`(select max(${backups.recorded_at}) from ${backups}
        where ${backups.site_id} = ${sites.id} and ${backups.gone_at} is null)`,
      last_proof_at: sql<string | null>`(select max(${backup_proofs.recorded_at})
        from ${backup_proofs}
        where ${backup_proofs.site_id} = ${sites.id} and ${backup_proofs.proven} = 1)`,
    })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))

export type ClientSiteRow = Awaited<ReturnType<typeof selectSites>>[number]

/** Lists the sites of clients by domain, as far as they are visible. */
export const listClientSites = (
  db: Database,
  { visible, since, limit }: { visible: Visible | undefined; since: number; limit: number },
) =>
  selectSites(db, since)
    .where(and(isForClients, isVisibleSite(visible)))
    .orderBy(asc(sites.domain), asc(sites.id))
    .limit(limit)

/** Returns a site of clients; undefined for any other one. */
export const findClientSite = (db: Database, id: number, since: number) =>
  selectSites(db, since)
    .where(and(isForClients, eq(sites.id, id)))
    .get()

/** Lists the copies of a site for tests, by domain. */
export const listStaging = ({ read }: Database, original_id: number) =>
  read
    .select({ domain: sites.domain, tls: sites.tls, made_at: sites.created_at })
    .from(site_copies)
    .innerJoin(sites, eq(sites.id, site_copies.site_id))
    .innerJoin(staging_access, eq(staging_access.site_id, sites.id))
    .where(and(eq(site_copies.original_id, original_id), eq(sites.status, 'active')))
    .orderBy(asc(sites.domain))

/** Returns what a scan has read of the WordPress of a site; undefined before the first one. */
export const findInventory = ({ read }: Database, site_id: number) =>
  read
    .select({ version: sites.wp_version, inventory: sites.inventory, read_at: sites.last_scan })
    .from(sites)
    .where(
      and(
        eq(sites.id, site_id),
        eq(sites.framework, 'wordpress'),
        isNotNull(sites.inventory),
        isNotNull(sites.last_scan),
      ),
    )
    .get()

const isOpen = (expires_at: AnyColumn, now: string) => or(isNull(expires_at), gt(expires_at, now))

/** Lists the accounts of this dashboard whose people can open the files of a site. */
export const listFileUsers = ({ read }: Database, site_id: number, now: string) =>
  read
    .select({ user_id: people.user_id })
    .from(site_access)
    .innerJoin(people, eq(people.id, site_access.person_id))
    .where(and(eq(site_access.site_id, site_id), isOpen(site_access.expires_at, now)))

/** Lists the accounts with a password that open the files of a site, by label. */
export const listFileAccounts = ({ read }: Database, site_id: number, now: string) =>
  read
    .select({ label: site_clients.label, expires_at: site_clients.expires_at })
    .from(site_clients)
    .where(and(eq(site_clients.site_id, site_id), isOpen(site_clients.expires_at, now)))
    .orderBy(asc(site_clients.label))

/** Returns the last restore of a site since a time. */
export const findLastRestore = ({ read }: Database, site_id: number, since: string) =>
  read
    .select({
      status: operations.status,
      created_at: operations.created_at,
      finished_at: operations.finished_at,
    })
    .from(operations)
    .where(
      and(
        eq(operations.site_id, site_id),
        eq(operations.type, 'backup.restore'),
        gt(operations.created_at, since),
      ),
    )
    .orderBy(desc(operations.created_at))
    .limit(1)
    .get()
