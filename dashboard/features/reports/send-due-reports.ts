import { getSettings } from '#dashboard/features/settings/queries.ts'
import { addMonths, monthOf, startOf } from '#shared/reports/months.ts'
import type { FleetSettings } from '#shared/settings/api/settings.ts'
import { endInterrupted, listDueReports } from './mails.queries.ts'
import { type SendDeps, sendReport } from './send-report.ts'

export const SEND_MS = 60_000
/** The maximum of reports of one round: a round must end before its lease does. */
const MAX_REPORTS = 20
const RETRY_MS = 3600_000
const MAX_ATTEMPTS = 24
/** The time after which an attempt without an outcome has none: sending ends within a minute. */
const INTERRUPTED_MS = 10 * 60_000
const INTERRUPTED_TEXT = 'The dashboard stopped while it sent the report'

/** Returns the time in a month at which the reports of the month before are sent. */
export function dueTime(month: string, { day, at }: FleetSettings['report_time']): Date {
  const date = `${month}-${String(day).padStart(2, '0')}`
  return new Date(`${date}T${at}:00.000Z`)
}

/**
 * Sends the reports of the last month that are due, each once. One that the SMTP server has refused
 * is sent again later; one with an unclear outcome is not.
 */
export async function sendDueReports(deps: SendDeps): Promise<void> {
  const { db, clock, mailer } = deps
  const now = clock.now()
  const ago = (ms: number) => new Date(now.getTime() - ms).toISOString()
  await endInterrupted(db, ago(INTERRUPTED_MS), INTERRUPTED_TEXT)
  if (!mailer) return
  const { report_time } = await getSettings(db)
  const current = monthOf(now)
  const due = dueTime(current, report_time)
  if (now < due) return
  const month = addMonths(current, -1)
  const retry = { attempts: MAX_ATTEMPTS, before: ago(RETRY_MS) }
  const found = await listDueReports(db, {
    month,
    due_at: due.toISOString(),
    month_end: startOf(current).toISOString(),
    retry,
    limit: MAX_REPORTS,
  })
  for (const { site, recipients } of found)
    await sendReport(deps, site, { month, recipients, retry })
}
