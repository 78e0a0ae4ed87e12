import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { metricsQuery } from '#dashboard/web/api/servers.ts'
import {
  DEFAULT_RANGE,
  RANGES,
  type Range,
  readServerSearch,
} from '#dashboard/web/pages/servers/detail/search.ts'
import { Chart } from '#dashboard/web/ui/chart.tsx'
import { spanSince } from '#dashboard/web/ui/chart-span.ts'
import { cx } from '#dashboard/web/ui/cx.ts'
import { formatMegabytes, formatShare, formatShort } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ReadingsSince } from '#dashboard/web/ui/readings-since.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { MetricsHistory } from '#shared/metrics/api/metrics.ts'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'

const HOURS: Record<Range, number> = { '1h': 1, '6h': 6, '24h': 24, '7d': 168, '30d': 720 }
/** A line needs at least two readings. */
const MIN_READINGS = 2
const CHOICES = RANGES.map((value) => ({ value, name: value.replace(/(\d+)/, '$1 ') }))

/** The metrics of the last hours or days. */
export function History({ server }: { server: FleetServerDetail }) {
  const { id, metrics_at } = server
  const { range = DEFAULT_RANGE } = useSearch({ from: '/inside/servers/$server_id' })
  const navigate = useNavigate({ from: '/servers/$server_id' })
  const { data, error, refetch, isPlaceholderData } = useQuery(metricsQuery(id, HOURS[range]))
  const choose = (next: Range) =>
    void navigate({ search: readServerSearch({ range: next }), replace: true })
  const ranges = (
    <>
      <span className="hidden text-xs text-muted sm:inline">
        read <Time at={metrics_at} />
      </span>
      <Segments label="Time" choices={CHOICES} value={range} onChange={choose} />
    </>
  )
  return (
    <Card title="Metrics" actions={ranges}>
      <QueryState of={{ data, error, refetch }} rows={12} />
      {data && isTooNew(data) && (
        <p className="text-muted">No readings yet. The charts appear within minutes.</p>
      )}
      {data && !isTooNew(data) && (
        <div
          className={cx(
            'grid gap-x-6 gap-y-5 transition-opacity md:grid-cols-2',
            isPlaceholderData && 'opacity-50',
          )}
        >
          <Charts history={data} group={`server-${id}`} />
        </div>
      )}
    </Card>
  )
}

/** No line can be drawn, and there was none before the period. */
const isTooNew = ({ since, from, cpu }: MetricsHistory): boolean =>
  (since === null || since >= from) && cpu.filter((value) => value !== null).length < MIN_READINGS

function Charts({ history, group }: { history: MetricsHistory; group: string }) {
  const { at, step, cpu, cpu_max, ram_used, ram_total, disk_used, disk_total } = history
  const { load1, load5, load15 } = history
  const { span, since } = spanSince(history, history.since)
  const shared = { at, span, group }
  const used = { name: 'used', tone: 'accent', isArea: true } as const
  const average = { ...used, name: step > 60 ? 'average' : 'used', values: cpu } as const
  const highest = { name: 'highest', values: cpu_max, tone: 'muted' } as const
  return (
    <>
      <ReadingsSince since={since} />
      <Chart
        {...shared}
        title="CPU"
        series={step > 60 ? [average, highest] : [average]}
        top={100}
        format={(value) => formatShare(value / 100)}
      />
      <Chart
        {...shared}
        title="Load"
        series={[
          { name: '1 min', values: load1, tone: 'muted' },
          { name: '5 min', values: load5, tone: 'accent' },
          { name: '15 min', values: load15, tone: 'warn' },
        ]}
        format={formatShort}
      />
      <Chart
        {...shared}
        title="Memory"
        series={[{ ...used, unit: outOf(ram_total), values: ram_used }]}
        top={highestOf(ram_total)}
        format={formatMegabytes}
      />
      <Chart
        {...shared}
        title="Disk"
        series={[{ ...used, unit: outOf(disk_total), values: disk_used }]}
        top={highestOf(disk_total)}
        format={formatMegabytes}
      />
    </>
  )
}

/** Returns the highest value; undefined when no value above zero is known. */
const highestOf = (values: readonly (number | null)[]) =>
  Math.max(0, ...values.map((value) => value ?? 0)) || undefined

function outOf(values: readonly (number | null)[]): string {
  const last = values.findLast((value) => value !== null)
  return last ? `of ${formatMegabytes(last)}` : ''
}
