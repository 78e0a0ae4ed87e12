import type { MailCounts } from '#shared/mail/mail.ts'
import type { Caught } from './caught.ts'
import type { Counts } from './counts.ts'
import type { Waiting } from './store.ts'

/** What the agent reports of the queue of one site. */
export function statusOf(
  { counts, caught }: { counts: Counts; caught: Caught },
  messages: Iterable<Waiting>,
  held: boolean,
  problem: MailCounts['problem'],
): MailCounts {
  const waiting = [...messages]
  const oldest = Math.min(...waiting.map(({ created_at }) => created_at))
  return {
    queued: waiting.length,
    caught: caught.count,
    oldest_at: Number.isFinite(oldest) ? new Date(oldest).toISOString() : null,
    held,
    sent_hour: counts.sentThisHour,
    sent_day: counts.day('sent'),
    failed_day: counts.day('failed'),
    refused_day: counts.day('refused'),
    last_sent_at: counts.kept.last_sent_at,
    problem,
    failures: counts.kept.failures,
  }
}
