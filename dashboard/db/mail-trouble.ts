import type { SiteMail } from '#shared/agent.ts'
import type { MailCounts } from '#shared/mail.ts'

/** So many sites of one server are kept: those that have waited longest. */
const MOST_KEPT = 50

type Failure = MailCounts['failures'][number]

/** What the records have of a site some of whose mail waits, or was given up. */
export interface MailTrouble
  extends Pick<MailCounts, 'queued' | 'oldest_at' | 'held' | 'last_sent_at'> {
  domain: string
  /** The words of the relay that takes nothing now, else empty. */
  problem: string
  /** The last that were given up, newest first, without whom they were for. */
  failures: Pick<Failure, 'at' | 'answer' | 'expired'>[]
}

export interface MailTroubles {
  sites: MailTrouble[]
  /** Also those that are not kept. */
  total: number
}

export function mailTroublesOf(reported: readonly SiteMail[]): MailTroubles {
  const found = reported
    .filter(({ queued, failures }) => queued + failures.length > 0)
    .toSorted((one, other) => since(one).localeCompare(since(other)))
  return { sites: found.slice(0, MOST_KEPT).map(kept), total: found.length }
}

/** What waits, the oldest first, before what was given up. */
const since = ({ oldest_at }: SiteMail) => oldest_at ?? '~'

function kept({ domain, queued, oldest_at, held, last_sent_at, problem, failures }: SiteMail) {
  return {
    ...{ domain, queued, oldest_at, held, last_sent_at },
    problem: queued === 0 ? '' : (problem?.answer ?? ''),
    failures: failures.map(({ at, answer, expired }) => ({ at, answer, expired })),
  }
}
