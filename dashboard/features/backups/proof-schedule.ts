import type { BackupWindow, ProofInterval } from '#shared/backups/backup-schedule.ts'
import { nextBackup, nextOpening } from './schedule.ts'

export interface ProofSchedule {
  id: number
  every: Exclude<ProofInterval, 'off'>
  window: BackupWindow
  /** The last proof; null: there is none. */
  proof: { recorded_at: string; proven: boolean; backup_id: number } | null
  newest_id: number
  /** The end of the last attempt, if it could not be made. */
  failed_at: string | null
}

/**
 * Returns the earliest time at which the newest backup of a site is proven. A first proof, and that
 * of a newer backup after one with findings, are due in the next window; all others at the moment
 * of the site.
 */
export function nextProof({ proof, newest_id, ...schedule }: ProofSchedule, now: Date): Date {
  const isDue = proof === null || (!proof.proven && proof.backup_id !== newest_id)
  if (isDue) return nextOpening(schedule, now)
  return nextBackup({ ...schedule, since: proof.recorded_at }, now)
}
