import { createHash } from 'node:crypto'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import type { BackupRules, SetBackupRules } from '#shared/backups/api/backup-settings.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import { listTargets } from './queries.ts'
import { listRules, readRulesState, storeRules } from './rules.queries.ts'

interface Deps {
  db: Database
  clock: Clock
}

export async function showRules({ db }: Pick<Deps, 'db'>): Promise<BackupRules> {
  // Read first: a change in between makes the version old, and is found when it is sent.
  const version = versionOf(await readRulesState(db))
  const rules = await listRules(db)
  return {
    rules: rules.map(({ every, ...rest }) => ({ ...rest, every: every ?? 'default' })),
    version,
  }
}

const versionOf = (state: string): string => createHash('sha256').update(state).digest('hex')

const changedMeanwhile = () =>
  conflict('The rules were changed meanwhile: read them again', 'changed_meanwhile')

/** Replaces the rules at once. Throws 422 for an unknown target, 409 for an old `version`. */
export async function changeRules(
  { db, clock }: Deps,
  { rules, version }: SetBackupRules,
  user_id: number,
): Promise<BackupRules> {
  const known = new Set((await listTargets(db)).map(({ id }) => id))
  const unknown = rules.find(({ target_id }) => target_id !== null && !known.has(target_id))
  if (unknown) throw invalid({ rules: [`The target of ${unknown.tag} is not a backup target`] })
  const rows = rules.map(({ every, ...rest }) => ({
    ...rest,
    every: every === 'default' ? null : every,
  }))
  const entry = entryOf(clock, { type: 'backup.rules', domain: '', user_id })
  const state = await readRulesState(db)
  if (versionOf(state) !== version) throw changedMeanwhile()
  await storeRules(db, { rules: rows, state }, entry).catch((error: unknown) => {
    throw violatesUnique(error, 'backup_rules.tag') ? changedMeanwhile() : error
  })
  return showRules({ db })
}
