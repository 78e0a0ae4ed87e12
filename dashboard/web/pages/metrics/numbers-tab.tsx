import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { NUMBER_SPANS, type NumberSpan, numbersQuery } from '#dashboard/web/api/numbers.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { cx } from '#dashboard/web/ui/cx.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { DiskChart, NumberCharts } from './charts.tsx'
import { TierAdvice } from './tier-advice.tsx'

const CHOICES = (Object.keys(NUMBER_SPANS) as NumberSpan[]).map((value) => ({
  value,
  name: value.replace(/(\d+)/, '$1 '),
}))

/** What happened on a site in the last hours or days. */
export function NumbersTab({ site }: { site: Site }) {
  const [span, setSpan] = useState<NumberSpan>('6h')
  const { data, error, refetch, isPlaceholderData } = useQuery(numbersQuery(site, span))
  const shared = { group: `site-${site.id}`, created_at: site.created_at }
  const isEmpty = data?.requests.every((value) => value === null) ?? true
  return (
    <>
      <TierAdvice site={site} />
      <Card
        title="Metrics"
        actions={<Segments label="Time" choices={CHOICES} value={span} onChange={setSpan} />}
      >
        <QueryState of={{ data, error, refetch }} rows={12} />
        {data && isEmpty && (
          <p className="text-muted">
            {data.unit === 'minute'
              ? 'There were no requests in this period. The first metrics appear a minute or two after a request.'
              : 'No day is known yet. The agent of the server counts once a minute.'}
          </p>
        )}
        {data && !isEmpty && (
          <div
            className={cx(
              'grid gap-x-6 gap-y-5 transition-opacity md:grid-cols-2',
              isPlaceholderData && 'opacity-50',
            )}
          >
            <NumberCharts {...shared} numbers={data} />
            {data.unit === 'day' && <DiskChart {...shared} numbers={data} />}
          </div>
        )}
      </Card>
    </>
  )
}
