import type uPlot from 'uplot'
import type { ChartProps, ChartSeries } from './chart.tsx'
import { formatAxisTime } from './format.ts'

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
export function chartOptions(
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
