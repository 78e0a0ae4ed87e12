import { expect, test } from 'bun:test'
import { type SQL, sql } from 'drizzle-orm'
import { type Database, openDatabase } from '#dashboard/db/client.ts'
import { overview } from '#dashboard/overview/overview.ts'
import { ago, setUp } from '#tests/support/dashboard/backup-attention.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import type { Dashboard } from '#tests/support/dashboard/dashboard.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'
import { markedWith } from '#tests/support/marks.ts'

const MINUTE_DAYS = 1 / (24 * 60)
const DAY_MS = 24 * 3600_000
/** Longer than an overview is kept, and shorter than its counts of a server are. */
const STEP_MS = 6_000

const site = (created_days: number, certificate = '') =>
  sql`insert into sites (id, server_id, domain, apex, user, php, tier, tls, managed, status, certificate_expires_at, created_at)
    values (1, 1, 'a.example', 'a.example', 'a', '8.4', 'small', 'letsencrypt', 1, 'active', ${certificate}, ${ago(created_days)})`
const backup = (days: number) =>
  sql`insert into backups (id, site_id, server_id, domain, target_id, repository, snapshot, at, recorded_at, files, bytes, stored, tables, seconds)
    values (${Math.round(days * 1_000)}, 1, 1, 'a.example', 1, 'a', ${`${days}`}, ${ago(days)}, ${ago(days)}, 1, 1, 1, 1, 1)`
const proof = (days: number) =>
  sql`insert into backup_proofs (backup_id, site_id, at, recorded_at, proven, findings, rows, tables, files, bytes, pages, seconds)
    select id, site_id, at, at, 1, '[]', 1, 1, 1, 1, '[]', 1 from backups where id = ${Math.round(days * 1_000)}`
const setting = (every: string) =>
  sql`insert into backup_settings (site_id, every, exclude) values (1, ${every}, '[]')`

/** In a minute, the site is so many days after the time. */
const before = (days: number) => days - MINUTE_DAYS
const soon = new Date(Date.parse(ago(0)) + 14 * DAY_MS + 60_000).toISOString()

async function fleet(db: Database, records: readonly SQL[]): Promise<void> {
  await setUp({ db } as Dashboard)
  const server = sql`insert into servers (id, name, hostname, port, user, tags, status, created_at)
    values (1, 'web', 'h', 1, 'root', '[]', 'online', ${ago(90)})`
  for (const each of [server, ...records]) await db.write((queries) => queries.run(each))
}

test.each<[string, string, SQL[]]>([
  ['a certificate that ends soon', 'certificate', [site(1, soon), backup(1)]],
  ['a daily backup that is late', 'backup_late', [site(30), backup(before(2))]],
  [
    'a weekly backup that is late',
    'backup_late',
    [site(30), setting('weekly'), backup(before(14))],
  ],
  ['a new site that has no backup', 'backup_late', [site(before(2))]],
  ['a site that is late for a week', 'backup_late', [site(30), backup(before(7))]],
  ['a backup that is not proven', 'backup_unproven', [site(30), backup(before(14)), backup(0.5)]],
  [
    'a proven backup that is old',
    'backup_unproven',
    [site(30), backup(before(14)), proof(before(14)), backup(0.5)],
  ],
])('%s is on the overview at its time, and not again before it', async (_, kind, records) => {
  await using folder = await makeFolder()
  const url = `file:${folder.path}/fleet.db`
  const [db, clock] = [await openDatabase(url), new HeldClock()]
  await fleet(db, records)
  /** With the counts that are kept, and with those of a connection that keeps none. */
  const read = async () => {
    const other = await openDatabase(url)
    const all = [db, other].map(async (from) => {
      const { attention } = await overview({ db: from, marks: markedWith(), clock })
      return attention.filter((group) => group.kind === kind)
    })
    const [kept, computed] = await Promise.all(all)
    other.close()
    return { kept, computed }
  }
  const first = await read()

  clock.move(60_000 - STEP_MS)
  const early = await read()
  clock.move(2 * STEP_MS)
  const after = await read()
  clock.set(-2 * STEP_MS)
  const again = await read()
  db.close()

  expect(first.kept).toEqual(first.computed)
  expect(early.kept).toEqual(early.computed)
  expect(after.kept).toEqual(after.computed)
  expect(again.kept).toEqual(early.computed)
  // The time has an effect at all.
  expect(after.computed).not.toEqual(early.computed)
})
