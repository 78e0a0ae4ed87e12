import type { MailCounts, SiteMail } from '#shared/mail/mail.ts'

/** The maximum of stored sites of one server: those that have waited longest. */
const MAX_FAILURES = 50

type MailFailure = MailCounts['failures'][number]

export interface MailTrouble
  extends Pick<MailCounts, 'queued' | 'oldest_at' | 'held' | 'last_sent_at'> {
  domain: string
  /** The message of a relay that refuses everything now, else empty. */
  problem: string
  /** The last undelivered messages, newest first, without recipients. */
  failures: Pick<MailFailure, 'at' | 'answer' | 'expired'>[]
}

export interface MailTroubles {
  sites: MailTrouble[]
  /** The number of sites, including those that are not stored. */
  total: number
}

export function mailTroublesOf(reported: readonly SiteMail[]): MailTroubles {
  const found = reported
    .filter(({ queued, failures }) => queued + failures.length > 0)
    .toSorted((one, other) => since(one).localeCompare(since(other)))
  return { sites: found.slice(0, MAX_FAILURES).map(keptFailures), total: found.length }
}

/** The order: waiting mail, oldest first, before undelivered mail. */
const since = ({ oldest_at }: SiteMail) => oldest_at ?? '~'

function keptFailures({
  domain,
  queued,
  oldest_at,
  held,
  last_sent_at,
  problem,
  failures,
}: SiteMail) {
  return {
    domain,
    queued,
    oldest_at,
    held,
    last_sent_at,
    problem: queued === 0 ? '' : (problem?.answer ?? ''),
    failures: failures.map(({ at, answer, expired }) => ({ at, answer, expired })),
  }
}
