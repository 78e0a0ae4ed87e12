import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { NUMBER_SPANS, type NumberSpan, numbersQuery } from '#dashboard/web/api/numbers.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { Chart, type ChartSeries } from '#dashboard/web/ui/chart.tsx'
import { spanSince } from '#dashboard/web/ui/chart-span.ts'
import { cx } from '#dashboard/web/ui/cx.ts'
import { formatBytes, formatNumber, formatShare } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ReadingsSince } from '#dashboard/web/ui/readings-since.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import type { SiteNumbers } from '#shared/metrics/api/numbers.ts'
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

interface ChartsProps {
  numbers: SiteNumbers
  /** When the site was created. */
  created_at: string
  /** Charts of the same group show the time under the pointer together. */
  group: string
}

type Column = readonly (number | null)[]
type Line = Pick<ChartSeries, 'name' | 'tone' | 'values'>

const line = (name: string, tone: Line['tone'], values: Column): Line => ({ name, tone, values })

function sharedBy({ numbers, group, created_at }: ChartsProps) {
  const { at, requests } = numbers
  const first = at[requests.findIndex((value) => value !== null)]
  const counted = first === undefined ? created_at : new Date(first * 1000).toISOString()
  // A site that existed before its record has numbers from before that.
  const began = counted < created_at ? counted : created_at
  return { at, group, ...spanSince(numbers, began) }
}

function NumberCharts(props: ChartsProps) {
  const { numbers } = props
  const { since, ...shared } = sharedBy(props)
  // A minute without an entry had no request; a day without one had no agent.
  const filled = (values: Column) =>
    numbers.unit === 'minute' ? values.map((value) => value ?? 0) : values
  const { requests, php_requests, php_ms } = numbers
  const average = ratio(php_ms, php_requests)
  return (
    <>
      <ReadingsSince since={since} />
      <Chart
        {...shared}
        title={`Requests each ${numbers.unit}`}
        series={[{ ...line('requests', 'accent', filled(requests)), isArea: true }]}
        format={formatNumber}
      />
      <Chart
        {...shared}
        title="Errors"
        series={[
          line('4xx', 'muted', filled(numbers.client_errors)),
          line('5xx', 'warn', filled(numbers.server_errors)),
        ]}
        format={formatNumber}
      />
      <Chart
        {...shared}
        title="From the page cache"
        series={[{ ...line('share', 'good', ratio(numbers.cache_hits, requests)), isArea: true }]}
        top={1}
        format={formatShare}
      />
      <Chart
        {...shared}
        title="PHP response time"
        series={[{ ...line('average', 'accent', average), isArea: true }]}
        format={(value) => `${formatNumber(Math.round(value))} ms`}
      />
      <Chart
        {...shared}
        title="Workers of PHP"
        series={[
          line('busy', 'accent', filled(numbers.active)),
          line('all busy', 'warn', filled(numbers.full)),
        ]}
        format={formatNumber}
      />
      <Chart
        {...shared}
        title="Sent"
        series={[{ ...line('bytes', 'accent', filled(numbers.bytes)), isArea: true }]}
        format={formatBytes}
      />
    </>
  )
}

/** Shows the disk use over time; used only when the numbers are per day. */
function DiskChart(props: ChartsProps) {
  const { files, database, cache, mail } = props.numbers
  const { since: _, ...shared } = sharedBy(props)
  return (
    <Chart
      {...shared}
      title="Disk"
      series={[
        { ...line('files', 'accent', files), isArea: true },
        line('database', 'good', database),
        line('page cache', 'warn', cache),
        line('mail', 'muted', mail),
      ]}
      format={formatBytes}
    />
  )
}

const ratio = (values: Column, of: Column): Column =>
  values.map((value, place) => {
    const all = of[place]
    return value === null || !all ? null : value / all
  })
