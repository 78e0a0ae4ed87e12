import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { recordKeyOf } from '#dashboard/kernel/activity/checkpoint.ts'
import { ActivityRecord } from '#dashboard/kernel/activity/record.ts'
import { verifyExport } from '#dashboard/kernel/activity/verify-export.ts'
import { databaseOnClient } from '#dashboard/kernel/db/client.ts'
import { connect } from '#dashboard/kernel/db/connect.ts'
import { appliedMigrations, knownMigrations } from '#dashboard/kernel/db/migrations.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import { type DashboardRecords, mustExist } from './backup/back-up.ts'
import { BackupError } from './backup/manifest.ts'
import { findSealSecret } from './backup/seal-secret.ts'

interface RecordReport {
  /** The first problem; undefined when the record is complete. */
  problem: string | undefined
  entries: number
  notes: string[]
}

/** Verifies the record of the activity in the database, beside dashboards that use it. */
export async function verifyRecord(records: DashboardRecords): Promise<RecordReport> {
  const { database, data_dir } = records
  await mustExist(database)
  const sealer = await findSealer(data_dir)
  if (!sealer)
    throw new BackupError(`There is no seal-secret in ${data_dir}, whose key signs the record`)
  using client = connect(database, 1)
  if ((await appliedMigrations(client)).length !== knownMigrations().length)
    throw new BackupError('The database is of another version: start the dashboard first')
  const log = { info: () => undefined, error: () => undefined }
  const deps = { db: databaseOnClient(client), clock: realClock, log, sealer, data_dir }
  const { problem, entries, unsealed } = await new ActivityRecord(deps).verify()
  const notes = unsealed === 0 ? [] : [`not sealed yet: ${unsealed}`]
  return { problem: problem?.message, entries, notes }
}

/** Verifies an export, with the key of DATA_DIR, or else with the one that it names. */
export async function verifyRecordFile(
  path: string,
  { data_dir }: DashboardRecords,
): Promise<RecordReport> {
  const sealer = await findSealer(data_dir)
  const input = createReadStream(path)
  try {
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
    const result = await verifyExport(lines, sealer && recordKeyOf(sealer))
    const { problem, entries, at, verifier } = result
    const notes = at === undefined ? [] : [`the checkpoint is of ${at}`]
    if (!sealer && verifier !== undefined)
      notes.push(`it is signed with ${verifier}: compare it with the key of the dashboard`)
    return { problem: problem?.message, entries, notes }
  } catch (error) {
    if (codeOf(error) === '') throw error
    throw new BackupError(`${path} cannot be read (${codeOf(error)})`)
  } finally {
    input.destroy()
  }
}

async function findSealer(data_dir: string) {
  const secret = await findSealSecret(data_dir)
  return secret && makeSealer(secret.reveal(), secureRandom)
}
