import { nextRuns, parseSchedule } from '#shared/jobs/cron.ts'
import { scheduleProblem } from '#shared/jobs/site-jobs.ts'

/** Frequent schedules, by what they are called. */
export const SCHEDULES: readonly { name: string; schedule: string }[] = [
  { name: 'Every 5 minutes', schedule: '*/5 * * * *' },
  { name: 'Every hour', schedule: '0 * * * *' },
  { name: 'Every day at 03:00', schedule: '0 3 * * *' },
  { name: 'Every weekday at 03:00', schedule: '0 3 * * 1-5' },
  { name: 'Every Sunday at 03:00', schedule: '0 3 * * 0' },
  { name: 'On the first of each month at 03:00', schedule: '0 3 1 * *' },
]

export const scheduleName = (schedule: string): string =>
  SCHEDULES.find((each) => each.schedule === schedule)?.name ?? schedule

/** The next runs, or why there are none. */
export function previewOf(schedule: string, now: number): { runs: string[]; problem?: string } {
  const problem = scheduleProblem(schedule)
  if (problem !== undefined) return { runs: [], problem }
  const runs = nextRuns(parseSchedule(schedule), now, 3)
  return { runs: runs.map((at) => new Date(at).toISOString()) }
}
