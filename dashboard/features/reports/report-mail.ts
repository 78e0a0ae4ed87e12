import type { z } from 'zod'
import { getSettings } from '#dashboard/features/settings/queries.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { invalid } from '#shared/kernel/errors.ts'
import type { ChangeReportMail, ReportMail } from '#shared/reports/api/report.ts'
import { addMonths, monthOf } from '#shared/reports/months.ts'
import { findReportSettings, listSent, saveReportSettings } from './mails.queries.ts'
import { monthFor } from './make-report.ts'
import { dueTime } from './send-due-reports.ts'
import type { SendDeps } from './send-report.ts'

type Deps = Pick<SendDeps, 'db' | 'clock' | 'mailer'>

/** Returns who gets the report of a site, and what was sent. */
export async function readReportMail(
  { db, clock, mailer }: Deps,
  site: SiteRow,
): Promise<ReportMail> {
  const { enabled = false, recipients = [] } = (await findReportSettings(db, site.id)) ?? {}
  const { report_time } = await getSettings(db)
  const current = monthOf(clock.now())
  const due = dueTime(current, report_time)
  const next = clock.now() < due ? due : dueTime(addMonths(current, 1), report_time)
  return {
    enabled,
    recipients,
    next_at: enabled && mailer ? next.toISOString() : null,
    can_send: mailer !== undefined,
    sent: await listSent(db, site.id),
  }
}

export async function changeReportMail(
  deps: Deps,
  site: SiteRow,
  { enabled, recipients }: z.output<typeof ChangeReportMail>,
  user_id: number,
): Promise<ReportMail> {
  const { db, clock } = deps
  const enabled_at = enabled ? timestamp(clock) : null
  const { id: site_id, domain, server_id } = site
  const entry = entryOf(clock, { type: 'report.settings', domain, server_id, user_id })
  await saveReportSettings(db, { site_id, enabled, enabled_at, recipients }, entry)
  return readReportMail(deps, site)
}

/** Returns the month of a report that clients get. Throws 422 on `month` for one that is not over. */
export function completeMonth(site: SiteRow, asked: string | undefined, now: Date): string {
  const month = monthFor(site, asked, now)
  if (month >= monthOf(now)) throw invalid({ month: ['Must be over'] })
  return month
}
