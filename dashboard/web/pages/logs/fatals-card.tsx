import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { type Fatal, fatalsQuery } from '#dashboard/web/api/logs.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { PARTS } from './names.ts'

const DAYS = 7

/** Which plugin or theme breaks the site. */
export function FatalsCard({ site }: { site: SitePlace }) {
  const { data, error, refetch, isFetching } = useQuery(fatalsQuery(site, DAYS))
  return (
    <Card
      title="Fatal errors by plugin or theme"
      flush
      actions={
        <Button
          kind="quiet"
          icon={<RotateCw />}
          busy={isFetching && data !== undefined}
          onClick={() => void refetch()}
        >
          Refresh errors
        </Button>
      }
    >
      <QueryState of={{ data, error, refetch }} flush />
      <ul className="divide-y divide-line" aria-label="Fatal errors">
        {data?.groups.map((group) => (
          <Group key={`${group.kind} ${group.slug}`} group={group} />
        ))}
      </ul>
      {data?.groups.length === 0 && (
        <p className="p-4 text-muted">PHP has reported no fatal error in the last {DAYS} days.</p>
      )}
      {data?.is_complete === false && (
        <p className="px-4 py-2 text-xs text-muted">
          Older errors were not counted: the log is too large to read at once.
        </p>
      )}
    </Card>
  )
}

function Group({ group: { kind, slug, count, first_at, last_at, text } }: { group: Fatal }) {
  return (
    <li className="flex flex-col gap-1 px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 basis-48 break-words">
          <span className="font-medium">{slug || PARTS[kind]}</span>{' '}
          {slug !== '' && <span className="text-xs text-muted">{PARTS[kind]}</span>}
        </span>
        <Badge tone="bad">{formatNumber(count)}</Badge>
        <span className="text-xs text-muted">
          first <Time at={first_at} none="without a time" />, last{' '}
          <Time at={last_at} none="without a time" />
        </span>
      </div>
      <details>
        <summary className="cursor-pointer text-xs text-muted">Show last error</summary>
        <pre className="mt-2 max-h-64 overflow-auto rounded-md bg-sunken p-3 text-xs whitespace-pre-wrap break-words">
          {text}
        </pre>
      </details>
    </li>
  )
}
