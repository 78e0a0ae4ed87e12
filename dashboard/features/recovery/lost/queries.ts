import { and, asc, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm'
import { lastId } from '#dashboard/features/backups/coverage.queries.ts'
import { backup_proofs, backup_targets, backups } from '#dashboard/kernel/db/backup-schema.ts'
import { batch, type Database } from '#dashboard/kernel/db/client.ts'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { lost_servers, recovered_sites } from '#dashboard/kernel/db/lost-schema.ts'
import { mail_settings } from '#dashboard/kernel/db/mail-schema.ts'
import { site_moves } from '#dashboard/kernel/db/moves-schema.ts'
import type { NewActivity, OperationRow, ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { activities, operations, servers, sites, users } from '#dashboard/kernel/db/schema.ts'
import { ACTIVE } from '#dashboard/kernel/engine/queries.ts'
import type { StartChange } from '#dashboard/kernel/engine/rules.ts'
import { identityOf } from '#shared/kernel/site-identity.ts'

export const findLost = (db: Database, server_id: number) =>
  db.read.select().from(lost_servers).where(eq(lost_servers.server_id, server_id)).get()

/** Declares a server lost; a second declaration keeps the time of the first. */
export async function declareLost(
  db: Database,
  row: typeof lost_servers.$inferInsert,
  entry: NewActivity,
): Promise<void> {
  await db.write((queries) =>
    batch(queries, [
      queries.insert(lost_servers).values(row).onConflictDoNothing(),
      queries.insert(activities).values(entry),
    ]),
  )
}

export async function endLoss(db: Database, server_id: number, entry: NewActivity): Promise<void> {
  await db.write((queries) =>
    batch(queries, [
      queries.delete(lost_servers).where(eq(lost_servers.server_id, server_id)),
      queries.insert(activities).values(entry),
    ]),
  )
}

export const listActive = (db: Database, server_id: number): Promise<OperationRow[]> =>
  db.read
    .select()
    .from(operations)
    .where(and(eq(operations.server_id, server_id), inArray(operations.status, ACTIVE)))
    .orderBy(asc(operations.created_at))

/**
 * Gives the site its new server in the batch that starts its restore: it never has two servers, and
 * never none. Its id stays, and with it its backups, its history and its settings.
 */
export const changeServer: StartChange = (queries, { site_id, server_id, params }) => {
  if (site_id === null) return []
  const user = String(params.user)
  const isElsewhere = and(eq(sites.id, site_id), ne(sites.server_id, server_id))
  return [
    queries.run(sql`insert into recovered_sites (site_id, lost_id, suspended)
      select id, server_id, status = 'suspended' from sites
      where ${isElsewhere} and server_id in (select server_id from lost_servers)
      on conflict do update set suspended = excluded.suspended, is_open = 1`),
    // The copies of a move are in the params: they are removed before the restore.
    queries.delete(site_moves).where(eq(site_moves.site_id, site_id)),
    queries.update(mail_settings).set({ server_id }).where(eq(mail_settings.site_id, site_id)),
    queries
      .update(sites)
      .set({
        server_id,
        ...identityOf(user),
        status: 'provisioning',
        status_reason: '',
        former_status: null,
        missing_since: null,
        reported_identity: null,
        certificate_expires_at: '',
        health: null,
        health_code: '',
        health_reason: '',
        health_since: null,
        health_checks: null,
      })
      .where(eq(sites.id, site_id)),
  ]
}

/** Returns the lost server from which a site came; undefined when it came from none. */
export async function findOrigin(db: Database, site: Pick<SiteRow, 'id' | 'server_id'>) {
  const [row] = await db.read
    .select({ server: servers })
    .from(lost_servers)
    .innerJoin(servers, eq(servers.id, lost_servers.server_id))
    .leftJoin(recovered_sites, eq(recovered_sites.lost_id, servers.id))
    .where(or(eq(servers.id, site.server_id), eq(recovered_sites.site_id, site.id)))
    .orderBy(sql`(${servers.id} = ${site.server_id}) desc`, sql`recovered_sites.rowid desc`)
    .limit(1)
  return row?.server
}

/** Lists the other sites of a server, of any kind, that have one of these names. */
export function listNamesakes(
  db: Database,
  server_id: number,
  { id, apex }: Pick<SiteRow, 'id' | 'apex'>,
): Promise<Pick<SiteRow, 'domain' | 'status'>[]> {
  const own = db.read
    .select({ apex: site_names.apex })
    .from(site_names)
    .where(eq(site_names.site_id, id))
  return db.read
    .select({ domain: sites.domain, status: sites.status })
    .from(sites)
    .where(
      and(
        eq(sites.server_id, server_id),
        ne(sites.id, id),
        or(eq(sites.apex, apex), inArray(sites.apex, own)),
      ),
    )
}

/** Lists the sites that a server has or had, with their newest backups, by domain. */
export async function listLostSites(db: Database, server_id: number) {
  const isRecovered = sql`exists (select 1 from recovered_sites
    where site_id = ${sites.id} and lost_id = ${server_id})`
  const rows = await db.read
    .select({
      id: sites.id,
      domain: sites.domain,
      server_id: sites.server_id,
      php: sites.php,
      status: sites.status,
      status_reason: sites.status_reason,
      found: sites.found,
      backup_id: backups.id,
      backup: {
        id: sql<number>`${backups.id}`,
        at: sql<string>`min(${backups.at}, ${backups.recorded_at})`,
        target: sql<string>`${backup_targets.name}`,
        bytes: sql<number>`${backups.bytes}`,
        proven: sql<number | null>`(select ${backup_proofs.proven} from backup_proofs
          where backup_proofs.backup_id = ${backups.id} order by backup_proofs.id desc limit 1)`,
        excluded: sql<number>`json_array_length(${backups.excluded})`,
      },
    })
    .from(sites)
    .leftJoin(backups, eq(backups.id, lastId))
    .leftJoin(backup_targets, eq(backup_targets.id, backups.target_id))
    .where(or(eq(sites.server_id, server_id), isRecovered))
    .orderBy(asc(sites.domain))
  return rows.map(({ backup_id, backup, ...site }) => {
    const proven = backup?.proven == null ? null : backup.proven === 1
    return { ...site, backup: backup_id === null || !backup ? null : { ...backup, proven } }
  })
}

/** Lists the other servers that are online and not lost, by name, and how many sites they have. */
export function listDestinations(db: Database, server_id: number) {
  const { id, name, php_versions, metrics, hostname } = servers
  const count = sql<number>`(select count(*) from sites
    where sites.server_id = servers.id and sites.status <> 'trashed')`
  return db.read
    .select({ id, name, hostname, php_versions, metrics, sites: count })
    .from(servers)
    .where(
      and(
        ne(id, server_id),
        eq(servers.status, 'online'),
        sql`${id} not in (select server_id from lost_servers)`,
      ),
    )
    .orderBy(asc(name), asc(id))
}

/**
 * Lists what lost servers that answer again have of restored sites: copies that still serve and run
 * their jobs, and whose suspension has not been tried since a time.
 */
export function listReturned(
  db: Database,
  since: string,
): Promise<{ server: ServerRow; site: SiteRow }[]> {
  return db.read
    .select({ server: servers, site: sites })
    .from(lost_servers)
    .innerJoin(servers, eq(servers.id, lost_servers.server_id))
    .innerJoin(sites, eq(sites.server_id, servers.id))
    .where(
      and(
        eq(servers.status, 'online'),
        eq(sites.status, 'active'),
        eq(sites.managed, false),
        isUntried(since),
        sql`${sites.apex} in (select own.apex from recovered_sites
          join sites as own on own.id = recovered_sites.site_id
          where recovered_sites.lost_id = ${servers.id})`,
      ),
    )
}

/**
 * Lists the restored sites whose access and suspension are not set yet, without those whose
 * suspension has been tried since a time.
 */
export function listOpen(db: Database, since: string) {
  return db.read
    .select({ server: servers, site: sites, suspended: recovered_sites.suspended })
    .from(recovered_sites)
    .innerJoin(sites, eq(sites.id, recovered_sites.site_id))
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(
      and(
        eq(recovered_sites.is_open, true),
        inArray(sites.status, ['active', 'suspended']),
        or(eq(recovered_sites.suspended, false), isUntried(since)),
      ),
    )
}

const isUntried = (since: string) => sql`not exists (select 1 from operations
  where operations.site_id = ${sites.id} and operations.server_id = ${sites.server_id}
    and operations.type = 'site.suspend' and operations.created_at > ${since})`

export async function closeRecovery(db: Database, site_id: number): Promise<void> {
  await db.write((queries) =>
    queries
      .update(recovered_sites)
      .set({ is_open: false })
      .where(eq(recovered_sites.site_id, site_id)),
  )
}

export async function emailOf(db: Database, id: number | null): Promise<string> {
  const row = await db.read
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.id, id ?? 0), isNull(users.deactivated_at), eq(users.kind, 'person')))
    .get()
  return row?.email ?? ''
}

export async function listNames(
  db: Database,
  ids: readonly number[],
): Promise<Map<number, string[]>> {
  const { name, site_id } = site_names
  const rows = await db.read
    .select({ name, site_id })
    .from(site_names)
    .where(sql`${site_id} in (select value from json_each(${JSON.stringify(ids)}))`)
  const names = Map.groupBy(rows, (row) => row.site_id)
  return new Map([...names].map(([id, own]) => [id, own.map((row) => row.name)]))
}
