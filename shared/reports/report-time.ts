import { z } from 'zod'
import { TimeOfDay } from '#shared/backups/backup-schedule.ts'

const LAST_DAY = 5
const DAY = `Must be a day between 1 and ${LAST_DAY}`

/** The day of the month and the time from which reports are mailed, in UTC. */
export const ReportTime = z.object(
  { day: z.number(DAY).int(DAY).min(1, DAY).max(LAST_DAY, DAY), at: TimeOfDay },
  'Must have the day and the time at',
)
