import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import { cx } from './cx.ts'
import { formatAxisTime, formatTime } from './format.ts'

export interface ChartSeries {
  name: string
  /** One value for each time; null is a gap. */
  values: readonly (number | null)[]
  tone: 'accent' | 'good' | 'warn' | 'muted'
  /** The text after each value, such as `of 8.2 GB`. */
  unit?: string
  /** The area below the line is filled. */
  isArea?: boolean
}

interface ChartProps {
  title: string
  /** The time of each value, in seconds since 1970. */
  at: readonly number[]
  /** The span of the chart, in seconds since 1970, with or without values. */
  span: readonly [from: number, to: number]
  series: readonly ChartSeries[]
  /** The top of the scale; by default it follows from the values. */
  top?: number | undefined
  format: (value: number) => string
  /** Charts of the same group show the time under the pointer together. */
  group: string
}

/** Lines over time with gaps; the values at the pointer are shown as numbers. */
export function Chart(props: ChartProps) {
  const { title, at, span, series, top, format } = props
  const [index, setIndex] = useState<number | null>(null)
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const theme = useTheme()
  const shape = series.map(({ name, tone }) => `${name} ${tone}`).join()
  const data = [at, ...series.map(({ values }) => values)] as uPlot.AlignedData
  const latest = useRef({ props, data })
  latest.current = { props, data }

  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours or lines are another chart
  useEffect(() => {
    const element = place.current
    if (!element) return
    const { props, data } = latest.current
    const options = chartOptions(() => latest.current.props, element.clientWidth, setIndex)
    const created = new uPlot(options, data, element)
    plot.current = created
    const resized = new ResizeObserver(() => {
      created.setSize({ width: element.clientWidth, height: created.height })
    })
    resized.observe(element)
    return () => {
      resized.disconnect()
      created.destroy()
      uPlot.sync(props.group).unsub(created)
    }
  }, [theme, shape])

  const [from, to] = span
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns of one answer change together
  useEffect(() => {
    plot.current?.setData(data, false)
    plot.current?.setScale('x', { min: from, max: to })
  }, [at, from, to, top])

  const isEmpty = series.every(({ values }) => values.every((value) => value === null))
  return (
    <figure className="min-w-0">
      <ChartReadout title={title} at={at} series={series} index={index} format={format} />
      <div className="relative">
        <div ref={place} role="img" aria-label={summaryOf(props)} className="h-40" />
        {isEmpty && (
          <p className="absolute inset-0 flex items-center justify-center text-xs text-muted">
            No readings in this period
          </p>
        )}
      </div>
    </figure>
  )
}

function summaryOf({ title, series, format }: ChartProps): string {
  const parts = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null)
    const last = known.at(-1)
    if (last === undefined) return `${name}: no readings`
    return `${name}: ${format(last)} now, at most ${format(Math.max(...known))}`
  })
  return `${title}. ${parts.join('. ')}`
}

const root = document.documentElement

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(root, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}

/** The current theme, for what CSS cannot style, such as a canvas. */
const useTheme = (): string => useSyncExternalStore(subscribe, () => root.dataset.theme ?? 'light')

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
function ChartReadout({ title, at, series, index, format }: ChartReadoutProps) {
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

const HEIGHT = 160
const FONT = '11px ui-sans-serif, system-ui, sans-serif'
const COLOURS = {
  accent: '--accent',
  good: '--good',
  warn: '--warn',
  muted: '--line-strong',
} as const

/**
 * The options of a chart in the current colours. `latest` returns the current props; `onPoint` is
 * called with the index under the pointer, or null.
 */
function chartOptions(
  latest: () => ChartProps,
  width: number,
  onPoint: (index: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const axis = { stroke: colour('--muted'), font: FONT, ticks: { show: false } }
  const grid = { stroke: colour('--line'), width: 1 }
  const { series, span, group } = latest()
  return {
    width,
    height: HEIGHT,
    padding: [8, 30, 0, 4],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: group } },
    scales: {
      x: { time: true, min: span[0], max: span[1] },
      y: { range: (_, __, max) => [0, latest().top ?? Math.max(1, max * 1.1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        gap: 6,
        space: 70,
        values: (plot, splits) => {
          const { min = 0, max = 0 } = plot.scales.x ?? {}
          return splits.map((at) => formatAxisTime(at, max - min))
        },
      },
      {
        ...axis,
        grid,
        size: 64,
        gap: 6,
        space: 32,
        values: (_, splits) => splits.map((value) => latest().format(value)),
      },
    ],
    series: [{}, ...series.map((one) => lineOf(one, colour))],
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
  }
}

function lineOf({ name, tone, isArea = false }: ChartSeries, colour: (name: string) => string) {
  const stroke = colour(COLOURS[tone])
  return {
    label: name,
    stroke,
    width: 1.5,
    points: { show: false },
    ...(isArea && { fill: `color-mix(in srgb, ${stroke} 15%, transparent)` }),
  }
}
