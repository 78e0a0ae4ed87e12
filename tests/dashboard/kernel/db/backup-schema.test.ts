import { Database as Planner } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client, InStatement } from '@libsql/client'
import { listFailed } from '#dashboard/features/backups/attention.queries.ts'
import { hasBackupIn, listUnsaved } from '#dashboard/features/backups/backup-first/queries.ts'
import { getScheduled, listCoverage } from '#dashboard/features/backups/coverage.queries.ts'
import {
  listGoneBackups,
  listGoneSites,
} from '#dashboard/features/backups/deleted-sites.queries.ts'
import { listWaiting } from '#dashboard/features/backups/due.queries.ts'
import { countRecorded } from '#dashboard/features/backups/found/queries.ts'
import { recordListing } from '#dashboard/features/backups/found/record.queries.ts'
import { listReaders } from '#dashboard/features/backups/keeper/state.queries.ts'
import {
  listMissing,
  presentStatements,
} from '#dashboard/features/backups/missing-backups.queries.ts'
import { listByProof } from '#dashboard/features/backups/proof-attention.queries.ts'
import { listProvable } from '#dashboard/features/backups/proof-due.queries.ts'
import { findNewestBackup } from '#dashboard/features/backups/proofs.queries.ts'
import {
  backupStatements,
  deleteTarget,
  findRepository,
  listBackups,
  listKept,
  listTargets,
} from '#dashboard/features/backups/queries.ts'
import {
  listGoneOf,
  listRepositories,
  listRepositoriesOfGone,
} from '#dashboard/features/backups/refresh.queries.ts'
import { readBackupParts } from '#dashboard/features/backups/server-parts.queries.ts'
import { findLastBackup } from '#dashboard/features/copies/queries.ts'
import { type Database, databaseOnClient, writeAll } from '#dashboard/kernel/db/client.ts'
import { connect } from '#dashboard/kernel/db/connect.ts'
import { isOnServers } from '#dashboard/kernel/db/server-sites.ts'
import { copyRecords } from '#tests/support/records.ts'

const AT = '2026-01-01T00:00:00.000Z'
const MOMENT = { every: 'daily', proof_every: 'monthly', now: new Date(AT) } as const
const ENTRY = { type: 'site.sync', domain: '', status: 'success', created_at: AT } as const
const PLACE = { target_id: 1, repository: 'shop', snapshot: 'abc' }

/** Tables that grow with time: reading a complete one gets slower over time. */
const GROWING = /^(SCAN (backups|backup_proofs|operations|activities|later)\b|.* AUTOMATIC )/

let folder: string
let db: Database
let planner: Planner
let plans: string[] = []

/** Notes how SQLite finds the rows of each statement; `planner` has a connection of its own. */
function explained(client: Client, planner: Planner): Client {
  const [execute, batch] = [client.execute.bind(client), client.batch.bind(client)]
  const explain = (statement: InStatement) => {
    const sql = typeof statement === 'string' ? statement : statement.sql
    const rows = planner.query<{ detail: string }, []>(`explain query plan ${sql}`).all()
    plans.push(...rows.map(({ detail }) => detail))
  }
  return Object.assign(client, {
    execute: (statement: InStatement) => {
      explain(statement)
      return execute(statement)
    },
    batch: (statements: InStatement[]) => {
      statements.forEach(explain)
      return batch(statements)
    },
  })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plans-'))
  await copyRecords(`${folder}/test.db`)
  planner = new Planner(`${folder}/test.db`, { readonly: true })
  db = databaseOnClient(explained(connect({ url: `file:${folder}/test.db` }), planner))
})

afterAll(async () => {
  planner.close()
  db.close()
  await rm(folder, { recursive: true })
})

const PERIOD = { from: AT, to: AT }

const BACKUP = {
  ...{ ...PLACE, domain: 'shop.example', at: AT, recorded_at: AT },
  ...{ files: 1, bytes: 1, stored: 1, tables: 1, seconds: 1 },
}
const REPOSITORY = { target_id: 1, name: 'shop', kit_id: 1, sealed_password: 'x' }
const LISTED = {
  ...{ domain: 'shop.example', password: 1, is_whole: true, tables: 1 },
  ...{ excluded: [], backups: [] },
}

test.each<[string, () => Promise<unknown>]>([
  ['the backups of a site', () => listBackups(db, 1)],
  ['the newest backup of a site', () => findNewestBackup(db, 1)],
  ['the last backup of a site', () => findLastBackup(db, 1) ?? Promise.resolve()],
  ['whether a site has a recent backup', () => hasBackupIn(db, 1, PERIOD)],
  ['the sites of a server without a backup', () => listUnsaved(db, 1, true, PERIOD)],
  ['the backups of a site that are gone', () => listGoneOf(db, 1)],
  ['the repositories of a site', () => listRepositories(db, { id: 1 })],
  ['the repositories of a deleted site', () => listRepositoriesOfGone(db, 'shop.example')],
  ['the backups of deleted sites', () => listGoneSites(db)],
  ['the backups of a deleted site', () => listGoneBackups(db, 'shop.example')],
  ['the missing backups', () => listMissing(db, { since: AT, limit: 9 })],
  ['the targets', () => listTargets(db)],
  ['the targets with a keeper', () => listKept(db)],
  ['a repository', () => findRepository(db, 1, 'shop')],
  ['the known backups of a target', () => countRecorded(db, 1)],
  ['the servers that can read a target', () => listReaders(db, 1, 9)],
  [
    'the sites that wait for a backup',
    () => listWaiting(db, { every: 'daily', per_server: 1, now: new Date(AT) }),
  ],
  [
    'the sites that wait for a proof',
    () => listProvable(db, { every: 'daily', now: new Date(AT) }),
  ],
  ['a page of the coverage', () => listCoverage(db, { page: 1, per_page: 9 }, MOMENT)],
  ['the schedule of a site', () => getScheduled(db, 1, MOMENT).catch(() => undefined)],
  [
    'what the sites of a server need',
    () => readBackupParts(db, isOnServers([1]), { ...MOMENT, ever: true }),
  ],
  ['the failed sites', () => listFailed(db, { ...MOMENT, since: AT, limit: 9 })],
  [
    'the unproven sites',
    () => listByProof(db, { ...MOMENT, state: 'unproven', server_ids: [1], limit: 9 }),
  ],
  [
    'the record of a backup',
    () =>
      writeAll(db, (queries) => [
        ...backupStatements(queries, BACKUP, REPOSITORY).slice(0, 2),
        ...presentStatements(queries, { ...PLACE, present: ['abc'], now: AT, asked_at: AT }),
      ]),
  ],
  [
    'the record of a list',
    () => recordListing(db, { ...PLACE, listed: LISTED, now: AT, asked_at: AT }, ENTRY),
  ],
  ['the end of a target', () => deleteTarget(db, 1, ENTRY)],
])('%s: no query reads all backups or operations', async (_, query) => {
  plans = []

  await query()

  expect(plans).not.toEqual([])
  expect(plans.filter((step) => GROWING.test(step))).toEqual([])
})
