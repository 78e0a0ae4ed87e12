import type { MailState } from '#dashboard/web/api/mail.ts'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Lasting, Time } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { SiteMailCounts } from '#shared/mail/api/mail.ts'

/** The mail of the last day. `sites` is null while the agent does not report it. */
export function MailQueues({ sites, isSite }: Pick<MailState, 'sites'> & { isSite: boolean }) {
  if (sites === null) return <p className="text-muted">The agent does not report the queue.</p>
  if (sites.length === 0) return <p className="text-muted">No mail in the last 24 hours.</p>
  return (
    <ul className="flex flex-col gap-4">
      {sites.map((site) => (
        <li key={site.domain} className="flex flex-col gap-2">
          {!isSite && <Name site={site} />}
          <Numbers site={site} />
          <Problems site={site} />
        </li>
      ))}
    </ul>
  )
}

function Name({ site: { site_id, domain } }: { site: SiteMailCounts }) {
  if (site_id === null) return <span className="font-medium">{unicodeOf(domain)}</span>
  return (
    <SiteLink id={site_id} className="font-medium hover:underline">
      {unicodeOf(domain)}
    </SiteLink>
  )
}

function Numbers({ site }: { site: SiteMailCounts }) {
  const { queued, caught, oldest_at, sent_day, failed_day, refused_day } = site
  return (
    <p className="text-muted">
      {caught > 0 && (
        <>
          <span className="text-text">{formatNumber(caught)} kept and not sent</span>,{' '}
        </>
      )}
      <span className="text-text">{formatNumber(queued)} waiting</span>
      {oldest_at !== null && (
        <>
          , the oldest <Lasting since={oldest_at} />
        </>
      )}
      , {formatNumber(sent_day)} sent, {formatNumber(failed_day)} undeliverable
      {refused_day > 0 && `, ${formatNumber(refused_day)} refused`} in the last 24 hours
    </p>
  )
}

function Problems({ site: { held, problem, failures } }: { site: SiteMailCounts }) {
  return (
    <>
      {held && (
        <Notice kind="wait" title="The hourly limit is reached">
          The rest is sent in the next hour.
        </Notice>
      )}
      {problem && (
        <Notice kind="bad" title="The relay does not accept mail">
          <span className="font-mono text-xs">{problem.answer}</span>, <Time at={problem.at} />. No
          message is lost. Delivery is retried automatically.
        </Notice>
      )}
      {failures.length > 0 && (
        <ul className="flex flex-col gap-1 text-xs" aria-label="Undelivered messages">
          {failures.slice(0, 5).map(({ at, recipient, answer }) => (
            <li key={`${at} ${recipient}`} className="break-words">
              <Time at={at} /> to {recipient}: <span className="font-mono">{answer}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
