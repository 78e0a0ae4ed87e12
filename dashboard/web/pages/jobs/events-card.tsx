import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { runDueEvents, wordpressCronQuery } from '#dashboard/web/api/site-jobs.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { formatCount, formatDuration, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { WordpressCron } from '#shared/jobs/api/site-jobs.ts'
import { Stopped } from './stopped.tsx'

const SHOWN = 10

/** The scheduled events of WordPress, and the button that runs those that are due. */
export function EventsCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(wordpressCronQuery(site))
  const client = useQueryClient()
  const isOffline = useServerOffline(site)
  const { mutate, isPending } = useMutation({
    mutationFn: () => runDueEvents(site),
    onSuccess: (message) => toast(message),
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ['site', site.id] }),
  })
  return (
    <Card
      title="WordPress events"
      flush
      actions={
        site.status === 'active' && (
          <Button
            icon={<Play />}
            busy={isPending}
            disabled={isOffline || isPending}
            onClick={() => mutate()}
          >
            Run due events
          </Button>
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
      <Stopped reason={stopped} />
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
        <Table
          label="WordPress events"
          head={
            <>
              <Head>Event</Head>
              <Head>Due</Head>
              <Head>Repeats</Head>
            </>
          }
        >
          {events.slice(0, SHOWN).map(({ hook, due_at, interval }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an event can be scheduled twice at a time
            <tr key={`${hook} ${due_at} ${at}`}>
              <Cell className="font-mono text-xs break-all">{hook}</Cell>
              <Cell>
                <Time at={due_at} />
              </Cell>
              <Cell className="whitespace-nowrap">
                {interval === null ? 'once' : `every ${formatDuration(interval * 1000)}`}
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      {total > SHOWN && (
        <p className="border-t border-line p-4 text-xs text-muted">
          The next {SHOWN} of {formatNumber(total)} events.
        </p>
      )}
    </>
  )
}
