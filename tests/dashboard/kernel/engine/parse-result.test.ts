import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { backup_kits, backup_targets, backups } from '#dashboard/kernel/db/backup-schema.ts'
import { batch } from '#dashboard/kernel/db/client.ts'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { backup_repositories } from '#dashboard/kernel/db/repositories-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { parseResult } from '#dashboard/kernel/engine/parse-result.ts'
import { rulesOf } from '#dashboard/kernel/engine/rules.ts'
import { RULES } from '#dashboard/operation-types.ts'
import { isDashboardType, OPERATION_NAMES, OPERATION_TYPES } from '#shared/operation-types.ts'
import { addSite } from '#tests/support/dashboard/backup-fleet.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { SAMPLES } from '#tests/support/results.ts'

const now = '2026-02-01T00:00:00.000Z'
const LIES = ['victim.example', 'victim', 'hosting-dashboard', 'root']
const SNAPSHOT = 'b'.repeat(64)

let dashboard: Dashboard
let own = 0
beforeAll(async () => {
  dashboard = await makeDashboard()
  const here = await dashboard.addServer({ port: 1 })
  const there = await dashboard.addServer({ port: 2 })
  const identity = (user: string) => ({
    ...{ user, docroot: `/srv/www/${user}/public`, db_name: user },
    ...{ domain: `${user}.example`, apex: `${user}.example` },
  })
  own = await addSite(dashboard, here, identity('own'))
  const neighbour = await addSite(dashboard, here, identity('neighbour'))
  const victim = await addSite(dashboard, there, identity('victim'))
  await dashboard.db.write(async (queries) => {
    const key = 'key'
    await queries.insert(backup_kits).values({
      ...{
        dashboard_key: key,
        dashboard_key_sealed: key,
        challenge_hash: key,
        recovery_key: key,
        created_at: now,
      },
    })
    for (const name of ['own', 'victim'])
      await queries.insert(backup_targets).values({
        ...{ name, place: { kind: 'local', path: `/mnt/${name}` }, secret_sealed: 'sealed' },
        created_at: now,
      })
    for (const name of ['own', 'neighbour', 'victim', 'hosting-dashboard', 'root'])
      await queries
        .insert(backup_repositories)
        .values({ target_id: 1, name, kit_id: 1, sealed_password: `of ${name}` })
    for (const [site_id, server_id, repository] of [
      [own, here, 'own'],
      [neighbour, here, 'neighbour'],
      [victim, there, 'victim'],
    ] as const)
      await queries.insert(backups).values({
        ...{ site_id, server_id, domain: `${repository}.example`, target_id: 1, repository },
        ...{ snapshot: SNAPSHOT, at: now, recorded_at: now, files: 1, bytes: 1, stored: 1 },
        ...{ tables: 1, seconds: 1 },
      })
    const name = 'alias.example'
    await queries.insert(site_names).values({ name, apex: name, site_id: victim, kind: 'alias' })
  })
})
afterAll(() => dashboard[Symbol.asyncDispose]())

/** Every row that is not of the own site or its server, and what the own site is. */
async function others(): Promise<unknown> {
  const tables = await dashboard.db.read.all<{ name: string }>(
    sql`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`,
  )
  const all: Record<string, unknown[]> = {}
  for (const { name } of tables) {
    if (COUNTERS.includes(name)) continue
    const rows = await dashboard.db.read.all<Record<string, unknown>>(
      sql`select * from ${sql.identifier(name)}`,
    )
    all[name] = rows.filter((row) => !isOwnRow(name, row))
  }
  const { user, docroot, db_name, server_id } = (await ownRow()) ?? {}
  return { all, identity: { user, docroot, db_name, server_id } }
}

/** Counters of changes, which every change raises. */
const COUNTERS = ['server_versions', 'sqlite_sequence']

const isOwnRow = (table: string, { id, site_id, server_id }: Record<string, unknown>) =>
  (table === 'sites' && id === own) ||
  (table === 'servers' && id === 1) ||
  site_id === own ||
  (site_id == null && server_id === 1) ||
  (table !== 'sites' && site_id === undefined && server_id === 1)

const ownRow = () => dashboard.db.read.select().from(sites).where(eq(sites.id, own)).get()

/** The result with a lie in each field that has a text, one at a time. */
function* liesIn(value: unknown, lie: string): Generator<unknown> {
  if (typeof value === 'string') yield lie
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    for (const changed of liesIn(inner, lie)) {
      const copy = structuredClone(value)
      Reflect.set(copy, key, changed)
      yield copy
    }
}

/** What the engine does with a result. */
async function receive(type: keyof typeof SAMPLES, params: object, result: unknown) {
  const rules = rulesOf({ types: RULES }, type)
  const operation = { type, params: params as Record<string, unknown> }
  try {
    const success = parseResult(operation, result, { rules, now, trash_ms: 1000 })
    const subject = { id: 'operation', server_id: 1, site_id: own }
    await dashboard.db.write((queries) => batch(queries, success.change(queries, subject, now)))
    return 'recorded'
  } catch {
    return 'refused'
  }
}

const types = OPERATION_NAMES.filter((type) => !isDashboardType(type))

test('every type of operation has a sample, and its result is valid', () => {
  const invalid = types.filter(
    (type) => !OPERATION_TYPES[type].outcome.result.safeParse(SAMPLES[type]?.result).success,
  )
  expect(invalid).toEqual([])
})

describe('a result with the names of others changes nothing of theirs', () => {
  test.each(types)('%s', async (type) => {
    const sample = SAMPLES[type]
    if (!sample) throw new Error('there is no sample')
    const before = await others()

    for (const lie of LIES)
      for (const result of liesIn(sample.result, lie)) await receive(type, sample.params, result)

    expect(await others()).toEqual(before)
  })

  test.each(types.filter((type) => 'domain' in (SAMPLES[type]?.result ?? {})))(
    '%s for another site is refused',
    async (type) => {
      const { params = {}, result = {} } = SAMPLES[type] ?? {}
      expect(await receive(type, params, { ...result, domain: 'victim.example' })).toBe('refused')
    },
  )

  test('and a backup of another repository is refused', async () => {
    const { params = {}, result = {} } = SAMPLES['backup.create'] ?? {}
    const backup = { ...Object(result.backup), repository: 'victim' }
    expect(await receive('backup.create', params, { ...result, backup, present: [] })).toBe(
      'refused',
    )
  })
})
