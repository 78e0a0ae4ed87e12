// tier: gate
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { listVersions } from '#dashboard/features/sites/listing/versions.queries.ts'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { setUp } from '#tests/support/dashboard/backup-attention.ts'
import type { Dashboard } from '#tests/support/dashboard/dashboard.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'

const AT = '2026-01-01T00:00:00.000Z'
const site = (id: number, server: number, apex: string) =>
  sql`insert into sites (id, server_id, domain, apex, user, php, tier, tls, managed, status, created_at)
    values (${id}, ${server}, ${apex}, ${apex}, 'shop', '8.3', 'small', 'none', 0, 'active', ${AT})`
const backup = (id: number, of: number) =>
  sql`insert into backups (id, site_id, domain, target_id, repository, snapshot, at, recorded_at, files, bytes, stored, tables, seconds)
    values (${id}, ${of}, 'x', 1, 'r', ${`${id}`}, ${AT}, ${AT}, 1, 1, 1, 1, 1)`
const proof = (id: number, of: number) =>
  sql`insert into backup_proofs (id, backup_id, site_id, at, recorded_at, proven, findings, rows, tables, files, bytes, pages, seconds)
    select ${id}, id, site_id, at, at, 1, '[]', 1, 1, 1, 1, '[]', 1 from backups where id = ${of}`
const setting = (of: number) =>
  sql`insert into backup_settings (site_id, every, exclude) values (${of}, 'daily', '[]')`
const rule = (tag: string) => sql`insert into backup_rules (tag, every) values (${tag}, 'daily')`

/** Servers 1 to 3. The first two have a site of the same name, the first one of its own. */
async function fleet(db: Database): Promise<void> {
  await setUp({ db } as Dashboard)
  const servers = [1, 2, 3].map(
    (id) => sql`insert into servers (id, name, hostname, port, user, tags, created_at)
      values (${id}, 's', 'h', 1, 'root', '[]', ${AT})`,
  )
  const rows = [site(1, 1, 'both.example'), site(2, 2, 'both.example'), site(3, 1, 'own.example')]
  const more = [backup(1, 3), proof(1, 1), setting(3), rule('eu')]
  for (const each of [...servers, ...rows, ...more]) await db.write((queries) => queries.run(each))
}

/** What rises, as `1 sites`, for each server. */
type Raised = string[]

test.each<[string, ReturnType<typeof sql>, Raised]>([
  ['a new site', site(9, 3, 'new.example'), ['3 backups', '3 sites']],
  [
    'a new site with the name of others',
    site(9, 3, 'both.example'),
    ['1 sites', '2 sites', '3 backups', '3 sites'],
  ],
  ['a deleted site', sql`delete from sites where id = 3`, ['1 backups', '1 sites']],
  [
    'a deleted site whose name another has',
    sql`delete from sites where id = 2`,
    ['1 sites', '2 backups', '2 sites'],
  ],
  [
    'a site that moves',
    sql`update sites set server_id = 3 where id = 3`,
    ['1 backups', '1 sites', '3 backups', '3 sites'],
  ],
  [
    'a site that gets the name of others',
    sql`update sites set apex = 'own.example' where id = 2`,
    ['1 sites', '2 backups', '2 sites'],
  ],
  ...['status = ‘failed’', 'found = 1', 'staging = 1', 'ignored_at = ‘x’', 'created_at = ‘x’'].map(
    (set): [string, ReturnType<typeof sql>, Raised] => [
      set,
      changed(set),
      ['1 backups', '1 sites'],
    ],
  ),
  ...[
    ...['php = ‘8.4’', 'tls = ‘letsencrypt’', 'framework = ‘static’', 'managed = 1'],
    ...['health = ‘down’', 'updates_plugins = 1', 'updates_themes = 1', 'updates_core = 1'],
    'certificate_expires_at = ‘x’',
  ].map((set): [string, ReturnType<typeof sql>, Raised] => [set, changed(set), ['1 sites']]),
  ['the same values', sql`update sites set status = status, php = php, health = health`, []],
  ['what is not counted', changed('wp_version = ‘7’, last_scan = ‘x’, disk = ‘{}’'), []],
  ['a new backup', backup(9, 2), ['2 backups']],
  ['a backup that is gone', sql`update backups set gone_at = ${AT}`, ['1 backups']],
  ['a deleted backup', sql`delete from backups`, ['1 backups']],
  ['a new proof', proof(9, 1), ['1 backups']],
  ['another result of a proof', sql`update backup_proofs set proven = 0`, ['1 backups']],
  ['a deleted proof', sql`delete from backup_proofs`, ['1 backups']],
  ['a new setting', setting(2), ['2 backups']],
  ['another setting', sql`update backup_settings set every = 'off'`, ['1 backups']],
  ['a deleted setting', sql`delete from backup_settings`, ['1 backups']],
  ['a new rule', rule('us'), ['1 backups', '2 backups', '3 backups']],
  [
    'another rule',
    sql`update backup_rules set every = 'off'`,
    ['1 backups', '2 backups', '3 backups'],
  ],
  ['a deleted rule', sql`delete from backup_rules`, ['1 backups', '2 backups', '3 backups']],
  ['a tag', sql`update servers set tags = '["eu"]' where id = 2`, ['2 backups']],
  ['a reading of a server', sql`update servers set metrics_at = ${AT}, last_sync = ${AT}`, []],
])('%s raises exactly the versions of the servers that it concerns', async (_, change, raised) => {
  await using folder = await makeFolder()
  const db = await openDatabase(`file:${folder.path}/fleet.db`)
  await fleet(db)
  const before = await listVersions(db)

  await db.write((queries) => queries.run(change))

  const after = await listVersions(db)
  const higher = (['sites', 'backups'] as const).flatMap((what) =>
    [...after[what]].flatMap(([id, version]) =>
      version > (before[what].get(id) ?? 0) ? [`${id} ${what}`] : [],
    ),
  )
  db.close()
  expect(higher.sort()).toEqual(raised)
})

test('a new server has versions, and a deleted one has none', async () => {
  await using folder = await makeFolder()
  const db = await openDatabase(`file:${folder.path}/fleet.db`)
  await fleet(db)

  await db.write((queries) => queries.run(sql`delete from servers where id = 1`))

  const { sites, backups } = await listVersions(db)
  db.close()
  expect([[...sites.keys()], [...backups.keys()]]).toEqual([
    [2, 3],
    [2, 3],
  ])
})

/** A change of the site of the first server that shares its name with no other. */
function changed(set: string): ReturnType<typeof sql> {
  return sql`update sites set ${sql.raw(set.replaceAll(/[‘’]/g, "'"))} where id = 3`
}
