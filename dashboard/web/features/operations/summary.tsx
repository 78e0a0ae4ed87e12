import { Elapsed } from '#dashboard/web/ui/elapsed.tsx'
import { OperationStatus } from '#dashboard/web/ui/operation-status.tsx'
import { OperationLink, ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { OperationView } from '#shared/operations/api/operations.ts'

const LINK = 'font-medium text-accent hover:underline'

/** Status, target, who started it and when, and its duration. */
export function Summary({ operation }: { operation: OperationView }) {
  const { server, server_id, site_id, domain, actor, created_at, retry_of } = operation
  const { started_at, finished_at } = operation
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-muted">
      <OperationStatus of={operation} />
      <span>
        {site_id !== null && (
          <>
            <SiteLink id={site_id} className={LINK}>
              {unicodeOf(domain)}
            </SiteLink>{' '}
          </>
        )}
        on{' '}
        <ServerLink id={server_id} className={LINK}>
          {server}
        </ServerLink>
      </span>
      <span>
        {finished_at === null ? 'for ' : 'took '}
        <Elapsed since={started_at ?? created_at} until={finished_at} />
      </span>
      <span>
        started <Time at={created_at} /> by {actor ?? 'System'}
      </span>
      {retry_of !== null && (
        <OperationLink id={retry_of} className={LINK}>
          A retry
        </OperationLink>
      )}
    </div>
  )
}
