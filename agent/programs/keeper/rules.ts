import type { Keep } from './config.ts'

const DAY_MS = 24 * 3_600_000
/** Longer than any backup runs: what it has saved before its manifest is not forgotten. */
const RUNNING_MS = 2 * DAY_MS

/** A snapshot in a repository. `arrived`: when the keeper noticed it, by its own clock. */
interface Snapshot {
  id: string
  arrived: number
}

/** A complete backup: its manifest, and the snapshots that this names. */
export interface Backup extends Snapshot {
  parts: readonly string[]
}

/**
 * When a snapshot arrived. A server dates its snapshots itself, and somebody who controls it can date
 * them as they like: its date is believed only between two runs of the keeper.
 */
export const arrivalOf = (claimed: number, since: number | undefined, now: number): number =>
  Math.min(Math.max(claimed, since ?? Number.NEGATIVE_INFINITY), now)

/**
 * The complete backups that stay: those that any rule keeps. Of each day, week and month the first one
 * to arrive stays: a later one never takes its place, whoever sends it. The last one of a site that was
 * gone for years does not lose its place at once either: a newer one must have arrived for `all_days`.
 * The last one of all stays, except that of an ended site (`last_days` is not null) after these days.
 */
export function keptOf(backups: readonly Backup[], keep: Keep, now: number): Backup[] {
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

/** The last backup is kept until it is `last_days` old; without that number, for ever. */
const isLastKept = (age: number, { last_days }: Keep): boolean =>
  last_days === null || age <= last_days * DAY_MS

const RULES = [
  ['day', 'daily_days'],
  ['week', 'weekly_days'],
  ['month', 'monthly_days'],
] as const

/** Names of periods in UTC; 1970-01-01 was a Thursday. */
const PERIODS: Record<string, (at: number) => string> = {
  day: (at) => String(Math.floor(at / DAY_MS)),
  week: (at) => String(Math.floor((at / DAY_MS + 3) / 7)),
  month: (at) => new Date(at).toISOString().slice(0, 7),
}

/** A snapshot that says that a backup is proven. */
export interface Proof extends Snapshot {
  backup: string
}

/**
 * The proofs whose backups stay: the newest one, and those after which another one arrived less than
 * `all_days` ago. Whoever controls a server can send proofs, too: they keep more, and the backup that
 * was kept before stays until `all_days` are over.
 */
function heldOf(
  { backups, proofs }: Pick<Contents, 'backups' | 'proofs'>,
  keep: Keep,
  now: number,
): Proof[] {
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

export interface Contents {
  snapshots: readonly Snapshot[]
  backups: readonly Backup[]
  /** Backups of which the storage has lost something, with the parts that it still has. */
  broken: readonly Backup[]
  proofs: readonly Proof[]
  /** Manifests and snapshots that could not be read: what belongs to them is not known. */
  unreadable: readonly string[]
}

/** After so many milliseconds no rule keeps a backup, but that of the last one. */
export const longestOf = ({ all_days, daily_days, weekly_days, monthly_days }: Keep): number =>
  Math.max(Math.max(all_days, daily_days, weekly_days, monthly_days) * DAY_MS, RUNNING_MS)

/** The ids of the snapshots to forget: those that no kept backup names, and that are not recent. */
export function forgottenOf(
  { snapshots, backups, broken, proofs, unreadable }: Contents,
  keep: Keep,
  now: number,
): string[] {
  const held = heldOf({ backups, proofs }, keep, now)
  const proven = new Set(held.map(({ backup }) => backup))
  const kept = [...keptOf(backups, keep, now), ...backups.filter(({ id }) => proven.has(id))]
  const isLast = ({ arrived }: Snapshot) => backups.every((backup) => backup.arrived < arrived)
  const rest = broken.filter((one) => isLast(one) || now - one.arrived <= longestOf(keep))
  const needed = new Set([
    ...rest.flatMap(({ id, parts }) => [id, ...parts]),
    ...kept.flatMap(({ id, parts }) => [id, ...parts]),
    ...held.map(({ id }) => id),
  ])
  const known = new Set(backups.flatMap(({ id, parts }) => [id, ...parts]))
  const unknownUntil = unreadable.length > 0 ? longestOf(keep) : RUNNING_MS
  return snapshots
    .filter(({ id, arrived }) => {
      if (needed.has(id)) return false
      return now - arrived > (known.has(id) ? RUNNING_MS : unknownUntil)
    })
    .map(({ id }) => id)
}
