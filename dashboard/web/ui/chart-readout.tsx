import type { ChartProps } from './chart.tsx'
import { cx } from './cx.ts'
import { formatTime } from './format.ts'

const DOTS = {
  accent: 'bg-accent',
  good: 'bg-good',
  warn: 'bg-warn',
  muted: 'bg-line-strong',
} as const

interface ChartReadoutProps extends Pick<ChartProps, 'title' | 'at' | 'series' | 'format'> {
  /** The index under the pointer; null: the last values are shown. */
  index: number | null
}

/** The values of one time, beside the name of the chart. */
export function ChartReadout({ title, at, series, index, format }: ChartReadoutProps) {
  const time = index === null ? undefined : at[index]
  return (
    <figcaption className="mb-1 flex min-h-6 flex-wrap items-baseline gap-x-3 text-xs">
      <span className="text-sm font-semibold">{title}</span>
      {series.map(({ name, values, tone, unit }) => (
        <span key={name} className="flex items-center gap-1.5 text-muted">
          <span aria-hidden className={cx('size-2 rounded-full', DOTS[tone])} />
          {name}
          <span className="font-medium text-text tabular-nums">
            {shown(index === null ? lastOf(values) : values[index], format)}
          </span>
          {unit}
        </span>
      ))}
      {time !== undefined && (
        <time className="ml-auto text-muted tabular-nums">
          {formatTime(new Date(time * 1000).toISOString())}
        </time>
      )}
    </figcaption>
  )
}

const lastOf = (values: readonly (number | null)[]) => values.findLast((value) => value !== null)

const shown = (value: number | null | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? '–' : format(value)
