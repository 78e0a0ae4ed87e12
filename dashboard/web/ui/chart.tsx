import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import { chartOptions } from './chart-options.ts'
import { ChartReadout } from './chart-readout.tsx'

export interface ChartSeries {
  name: string
  /** One for each time; null is a gap. */
  values: readonly (number | null)[]
  tone: 'accent' | 'good' | 'warn' | 'muted'
  /** After each value: `of 8.2 GB`. */
  unit?: string
  /** Filled down to zero. */
  isArea?: boolean
}

export interface ChartProps {
  title: string
  /** When each value was, in seconds since 1970. */
  at: readonly number[]
  /** The span of the chart, in seconds since 1970, with or without values. */
  span: readonly [from: number, to: number]
  series: readonly ChartSeries[]
  /** The top of the scale; undefined: from the values. */
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
