import type { Mailer, SendResult } from '#dashboard/features/alerts/mailer.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { MailState } from '#shared/reports/api/report.ts'
import { findLogo } from './branding.ts'
import { reportMessage } from './mail-text.ts'
import { claimReport, endReport, findReportSettings, type RetryRule } from './mails.queries.ts'
import { makeReport } from './make-report.ts'

export type SendDeps = Pick<CommonDeps, 'db' | 'clock' | 'random' | 'log'> & {
  mailer: Mailer | undefined
}

const NO_MAILER_TEXT =
  'The dashboard cannot send mail: set SMTP_URL in its environment, then start it again'

const NOT_MADE_TEXT = 'The report could not be made: the log of the dashboard has the reason'

function mailerOf({ mailer }: Pick<SendDeps, 'mailer'>): Mailer {
  if (!mailer) throw conflict(NO_MAILER_TEXT)
  return mailer
}

async function messageFor(
  { db, clock }: SendDeps,
  mailer: Mailer,
  site: SiteRow,
  { month, key }: { month: string; key: string },
) {
  const report = await makeReport(db, site, month, clock.now())
  return reportMessage({ report, logo: await findLogo(db), from: mailer.from, key })
}

/** Sends the report of a month to one address, and records only that it did. */
export async function sendTest(
  deps: SendDeps,
  site: SiteRow,
  { month, to, user_id }: { month: string; to: string; user_id: number },
) {
  const { db, clock, random } = deps
  const mailer = mailerOf(deps)
  const message = await messageFor(deps, mailer, site, { month, key: randomText(random, 16) })
  const { accepted, answer } = await mailer.send({
    ...message,
    subject: `Test: ${message.subject}`,
    to: [to],
  })
  const status = accepted ? 'success' : 'failed'
  const where = { domain: site.domain, server_id: site.server_id, user_id }
  await recordActivity(db, entryOf(clock, { type: 'report.test', status, ...where }))
  return { to, accepted, answer }
}

interface ReportOrder {
  month: string
  recipients: readonly string[]
  /** The rule for an automatic attempt; null: a person sends it. */
  retry: RetryRule | null
}

/**
 * Sends the report of a month and records the outcome. The claim in the records comes first: after a
 * crash in between, nobody sends it again automatically. Returns undefined when it is not free.
 */
export async function sendReport(
  deps: SendDeps,
  site: SiteRow,
  { month, recipients, retry }: ReportOrder,
): Promise<MailState | undefined> {
  const { db, clock, log } = deps
  const mailer = mailerOf(deps)
  const attempt = { site_id: site.id, month, at: timestamp(clock) }
  if (!(await claimReport(db, { ...attempt, recipients, retry }))) return undefined
  const key = `${site.id} ${month} ${recipients.join(' ')}`
  const sent = await messageFor(deps, mailer, site, { month, key }).then(
    (message) => mailer.send({ ...message, to: recipients }),
    (error: unknown): SendResult => {
      log.error('a report could not be made', error, { site_id: site.id })
      return { accepted: false, answer: NOT_MADE_TEXT, refused: [] }
    },
  )
  const { answer, refused } = sent
  const state = stateOf(sent)
  const status = state === 'sent' ? 'success' : 'failed'
  const where = { domain: site.domain, server_id: site.server_id, detail: month }
  const entry = entryOf(clock, { type: 'report.send', status, ...where })
  await endReport(db, attempt, { state, answer, refused: [...refused] }, entry)
  return state
}

function stateOf({ accepted, is_unclear }: SendResult): MailState {
  if (accepted) return 'sent'
  return is_unclear ? 'unclear' : 'failed'
}

/** Sends the report of a month to the recipients of the site because a person asks for it. */
export async function sendNow(deps: SendDeps, site: SiteRow, month: string): Promise<void> {
  mailerOf(deps)
  const { recipients = [] } = (await findReportSettings(deps.db, site.id)) ?? {}
  if (recipients.length === 0) throw conflict('The report has no recipients: add one first')
  const state = await sendReport(deps, site, { month, recipients, retry: null })
  if (state === undefined) throw conflict('The report is being sent')
}
