import type { KeepRules } from './config.ts'

const DAY_MS = 24 * 3_600_000
/** The maximum duration of a backup: what it has saved before its manifest is not forgotten. */
const RUNNING_MS = 2 * DAY_MS

/** A snapshot in a repository; `arrived` is when the keeper noticed it, by its own clock. */
interface ArrivedSnapshot {
  id: string
  arrived: number
}

/** A complete backup: its manifest, and the snapshots that this names. */
export interface CompleteBackup extends ArrivedSnapshot {
  parts: readonly string[]
}

/**
 * Returns when a snapshot arrived. A server dates its snapshots itself, and somebody who controls
 * it can forge the dates: one is believed only between two runs of the keeper.
 */
export const arrivalOf = (claimed: number, since: number | undefined, now: number): number =>
  Math.min(Math.max(claimed, since ?? Number.NEGATIVE_INFINITY), now)

/**
 * Returns the complete backups that any rule keeps. Of each day, week and month the first one to
 * arrive stays: a later one never takes its place, whoever sends it. The last one of a site that
 * was missing for years does not lose its place at once either: a newer one must have arrived for
 * `all_days`. The last one of all stays, except that of an ended site (`last_days` is not null)
 * after these days.
 */
export function backupsToKeep(
  backups: readonly CompleteBackup[],
  keep: KeepRules,
  now: number,
): CompleteBackup[] {
  const inOrder = [...backups].sort((a, b) => a.arrived - b.arrived || (a.id < b.id ? -1 : 1))
  const last = inOrder.at(-1)
  const taken = new Set<string>()
  const isFirst = (rule: string, at: number) => {
    const key = `${rule} ${PERIODS[rule]?.(at)}`
    return !taken.has(key) && taken.add(key) !== undefined
  }
  return inOrder.filter((backup, index) => {
    const age = now - backup.arrived
    const firsts = RULES.filter(([rule]) => isFirst(rule, backup.arrived))
    if (backup === last && isLastKept(age, keep)) return true
    const replaced = backup === last ? age : now - (inOrder[index + 1]?.arrived ?? now)
    if (replaced <= keep.all_days * DAY_MS) return true
    return firsts.some(([, field]) => age <= keep[field] * DAY_MS)
  })
}

/** Returns whether the last backup is kept: until `last_days`, or for ever without it. */
const isLastKept = (age: number, { last_days }: KeepRules): boolean =>
  last_days === null || age <= last_days * DAY_MS

const RULES = [
  ['day', 'daily_days'],
  ['week', 'weekly_days'],
  ['month', 'monthly_days'],
] as const

/** The names of periods in UTC; 1970-01-01 was a Thursday. */
const PERIODS: Record<string, (at: number) => string> = {
  day: (at) => String(Math.floor(at / DAY_MS)),
  week: (at) => String(Math.floor((at / DAY_MS + 3) / 7)),
  month: (at) => new Date(at).toISOString().slice(0, 7),
}

/** A snapshot that marks a backup as proven. */
export interface BackupProof extends ArrivedSnapshot {
  backup: string
}

/**
 * Returns the backups of proofs: of the newest one, and of those after which another one arrived
 * less than `all_days` ago. Whoever controls a server can send proofs, too: they keep more, and the
 * backup that was kept before stays until `all_days` are over.
 */
function backupsKeptByProofs(
  { backups, proofs }: Pick<RepositoryContents, 'backups' | 'proofs'>,
  keep: KeepRules,
  now: number,
): BackupProof[] {
  const newest = Math.max(...backups.map(({ arrived }) => arrived))
  if (!isLastKept(now - newest, keep)) return []
  const known = new Set(backups.map(({ id }) => id))
  const inOrder = proofs
    .filter(({ backup }) => known.has(backup))
    .sort((a, b) => a.arrived - b.arrived || (a.id < b.id ? -1 : 1))
  return inOrder.filter((_, index) => {
    const next = inOrder[index + 1]
    return next === undefined || now - next.arrived <= keep.all_days * DAY_MS
  })
}

export interface RepositoryContents {
  snapshots: readonly ArrivedSnapshot[]
  backups: readonly CompleteBackup[]
  /** The backups of which the storage has lost a part, with the remaining parts. */
  broken: readonly CompleteBackup[]
  proofs: readonly BackupProof[]
  /** The manifests and snapshots that could not be read: their parts are unknown. */
  unreadable: readonly string[]
}

/** Returns the milliseconds after which no rule keeps a backup, but that of the last one. */
export const maxKeepMs = ({ all_days, daily_days, weekly_days, monthly_days }: KeepRules): number =>
  Math.max(Math.max(all_days, daily_days, weekly_days, monthly_days) * DAY_MS, RUNNING_MS)

/** Returns the ids of the snapshots to forget: old ones that no backup names. */
export function snapshotsToForget(
  { snapshots, backups, broken, proofs, unreadable }: RepositoryContents,
  keep: KeepRules,
  now: number,
): string[] {
  const held = backupsKeptByProofs({ backups, proofs }, keep, now)
  const proven = new Set(held.map(({ backup }) => backup))
  const kept = [...backupsToKeep(backups, keep, now), ...backups.filter(({ id }) => proven.has(id))]
  const isLast = ({ arrived }: ArrivedSnapshot) =>
    backups.every((backup) => backup.arrived < arrived)
  const rest = broken.filter((one) => isLast(one) || now - one.arrived <= maxKeepMs(keep))
  const needed = new Set([
    ...rest.flatMap(({ id, parts }) => [id, ...parts]),
    ...kept.flatMap(({ id, parts }) => [id, ...parts]),
    ...held.map(({ id }) => id),
  ])
  const known = new Set(backups.flatMap(({ id, parts }) => [id, ...parts]))
  const unknownUntil = unreadable.length > 0 ? maxKeepMs(keep) : RUNNING_MS
  return snapshots
    .filter(({ id, arrived }) => {
      if (needed.has(id)) return false
      return now - arrived > (known.has(id) ? RUNNING_MS : unknownUntil)
    })
    .map(({ id }) => id)
}
