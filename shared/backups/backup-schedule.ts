import { z } from 'zod'

/** The operations that replace the state of a site, and that can be undone. */
export const REPLACEMENTS = [
  'backup.restore',
  'database.import',
  'site.push',
  'site.refresh',
] as const
export type ReplacementType = (typeof REPLACEMENTS)[number]

/** The intervals of automatic backups of a site. */
export const BACKUP_INTERVALS = ['off', 'daily', 'weekly'] as const
export type BackupInterval = (typeof BACKUP_INTERVALS)[number]

/** The intervals of automatic proofs of the newest backup; `monthly` is every four weeks. */
export const PROOF_INTERVALS = ['off', 'weekly', 'monthly'] as const
export type ProofInterval = (typeof PROOF_INTERVALS)[number]

export const TimeOfDay = z
  .string('Must be a time such as 01:00')
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time such as 01:00')

/** Returns the minutes from the beginning of a window to its end, which may be on the next day. */
export function windowMinutes({ from, to }: BackupWindow): number {
  return (minuteOf(to) - minuteOf(from) + 1440) % 1440
}

export function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return 60 * hours + minutes
}

/** The maximum number on a server: one less than the operations at once. */
export const MAX_PER_SERVER = 3
const PER_SERVER = `Must be between 1 and ${MAX_PER_SERVER}`
/** The maximum number of concurrent backups on a server. */
export const BackupsPerServer = z
  .number(PER_SERVER)
  .int(PER_SERVER)
  .min(1, PER_SERVER)
  .max(MAX_PER_SERVER, PER_SERVER)

/** The time in which automatic backups start, in UTC. */
export const BackupWindow = z
  .object({ from: TimeOfDay, to: TimeOfDay }, 'Must have the times from and to')
  .refine((window) => windowMinutes(window) >= 60, 'Must be an hour or longer')
export type BackupWindow = { from: string; to: string }
