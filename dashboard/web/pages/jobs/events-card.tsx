import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { runDueEvents, wordpressCronQuery } from '#dashboard/web/api/site-jobs.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { formatCount, formatDuration, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { WordpressCron } from '#shared/jobs/api/site-jobs.ts'
import { StoppedNotice } from './stopped-notice.tsx'

const MAX_SHOWN = 10

/** The scheduled events of WordPress, and the button that runs those that are due. */
export function EventsCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(wordpressCronQuery(site))
  const isOffline = useServerOffline(site)
  return (
    <Card
      title="WordPress events"
      flush
      actions={
        site.status === 'active' && (
          <ActionButton
            needs="operate"
            icon={<Play />}
            disabled={isOffline}
            call={() => runDueEvents(site)}
            done={String}
            changes={[['site', site.id]]}
          >
            Run due events
          </ActionButton>
        )
      }
    >
      <QueryState of={{ data, error, refetch }} flush />
      {data && <Events cron={data} />}
    </Card>
  )
}

function Events({ cron }: { cron: WordpressCron }) {
  const { events, total, overdue, next_run_at, stopped } = cron
  return (
    <>
      <StoppedNotice reason={stopped} />
      {overdue > 0 && stopped === null && (
        <div className="p-4">
          <Notice kind="warn" title={`${formatCount(overdue, 'event')} overdue`}>
            They have been due for more than ten minutes. Run them now; if they stay due, the output
            of the last runs shows the reason.
          </Notice>
        </div>
      )}
      <div className="p-4">
        <Facts
          of={{
            Events: formatNumber(total),
            'Due events run': <Time at={next_run_at} none="not automatically" />,
          }}
        />
      </div>
      {events.length > 0 && (
        <RecordTable
          label="WordPress events"
          rows={events.slice(0, MAX_SHOWN)}
          // An event can be scheduled twice at a time.
          keyOf={({ hook, due_at }, index) => `${hook} ${due_at} ${index}`}
          columns={[
            { name: 'Event', cell: 'font-mono text-xs break-all', show: ({ hook }) => hook },
            { name: 'Due', show: ({ due_at }) => <Time at={due_at} /> },
            {
              name: 'Repeats',
              className: 'whitespace-nowrap',
              show: ({ interval }) =>
                interval === null ? 'once' : `every ${formatDuration(interval * 1000)}`,
            },
          ]}
        />
      )}
      {total > MAX_SHOWN && (
        <p className="border-t border-line p-4 text-xs text-muted">
          The next {MAX_SHOWN} of {formatNumber(total)} events.
        </p>
      )}
    </>
  )
}
