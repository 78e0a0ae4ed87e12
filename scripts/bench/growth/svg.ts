export interface Point {
  x: number
  y: number
}

interface Panel {
  title: string
  /** The name of the axis, with its unit. */
  x: string
  y: string
  /** The lines, at most four, by name. */
  series: Record<string, readonly Point[]>
}

const WIDTH = 1100
const HEIGHT = 400
/** This margin is beside the last panel. */
const MARGIN = 30
const TOP = 104
const BOTTOM = 330
/** This space beside a plot has the numbers of its axis, and the names of its lines. */
const LEFT = 64
const RIGHT = 160
/** The names of two lines are at least so far apart. */
const APART = 36

const STYLE = `
    .page { fill: #ffffff }
    text { fill: #1f2328 }
    .small { font-size: 12px; fill: #59636e }
    .grid { stroke: #d1d9e0 }
    .line { fill: none; stroke-width: 2 }
    .s0 { --color: #0969da } .s1 { --color: #1a7f37 } .s2 { --color: #bc4c00 } .s3 { --color: #8250df }
    .line { stroke: var(--color) } .dot, .name { fill: var(--color) }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117 }
      text { fill: #e6edf3 }
      .small { fill: #9198a1 }
      .grid { stroke: #3d444d }
      .s0 { --color: #4493f8 } .s1 { --color: #3fb950 } .s2 { --color: #f0883e } .s3 { --color: #ab7df8 }
    }
  `

/** Returns a picture with panels side by side, with logarithmic axes, for light and dark pages. */
export function drawn(title: string, panels: readonly Panel[]): string {
  const width = WIDTH / panels.length
  const parts = panels.map((panel, place) => panelAt(panel, place * width, width))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + MARGIN} ${HEIGHT}" \
font-family="ui-sans-serif, system-ui, Helvetica, Arial, sans-serif" font-size="13">
  <title>${escaped(title)}</title>
  <style>${STYLE}</style>
  <rect class="page" width="${WIDTH + MARGIN}" height="${HEIGHT}" rx="8"/>
  <text x="${LEFT}" y="34" font-size="17" font-weight="600">${escaped(title)}</text>
${parts.join('\n')}
</svg>
`
}

function panelAt({ title, x, y, series }: Panel, left: number, width: number): string {
  const points = Object.values(series).flat()
  const [start, end] = [left + LEFT, left + width - RIGHT]
  const [across, up] = [
    scaleOf(
      points.map((point) => point.x),
      start,
      end,
    ),
    scaleOf(
      points.map((point) => point.y),
      BOTTOM,
      TOP,
    ),
  ]
  return [
    text(start, TOP - 36, title, 'font-weight="600"'),
    text(start, TOP - 16, y, 'class="small"'),
    ...up.ticks.flatMap((tick) => [
      line(start, up.at(tick), end, up.at(tick)),
      text(start - 8, up.at(tick) + 4, shortNumber(tick), 'class="small" text-anchor="end"'),
    ]),
    ...across.ticks.flatMap((tick) => [
      line(across.at(tick), TOP, across.at(tick), BOTTOM),
      text(across.at(tick), BOTTOM + 18, shortNumber(tick), 'class="small" text-anchor="middle"'),
    ]),
    text((start + end) / 2, BOTTOM + 42, x, 'class="small" text-anchor="middle"'),
    ...Object.values(series).map((each, number) => curve(each, number, { across, up })),
    ...namesOf(series, end, up),
  ].join('\n')
}

function curve(
  points: readonly Point[],
  number: number,
  { across, up }: { across: Scale; up: Scale },
): string {
  const places = points.map(({ x, y }) => ({ x: round(across.at(x)), y: round(up.at(y)) }))
  const dots = places.map(({ x, y }) => `    <circle class="dot" cx="${x}" cy="${y}" r="3"/>`)
  return `  <g class="s${number}">
    <polyline class="line" points="${places.map(({ x, y }) => `${x},${y}`).join(' ')}"/>
${dots.join('\n')}
  </g>`
}

/** Writes the names beside the last point of each line, with its value. */
function namesOf(series: Panel['series'], x: number, up: Scale): string[] {
  let lowest = Number.NEGATIVE_INFINITY
  return Object.entries(series)
    .map(([name, points], number) => ({ name, number, last: points.at(-1)?.y ?? 0 }))
    .sort((one, other) => other.last - one.last)
    .map(({ name, number, last }) => {
      lowest = Math.max(lowest + APART, up.at(last))
      return `  <g class="s${number}">
  ${text(x + 10, lowest - 2, name, 'class="name"')}
  ${text(x + 10, lowest + 14, `${shortNumber(last)} ms`, 'class="name"')}
  </g>`
    })
}

const text = (x: number, y: number, words: string, attributes: string) =>
  `  <text x="${round(x)}" y="${round(y)}" ${attributes}>${escaped(words)}</text>`

const line = (x1: number, y1: number, x2: number, y2: number) =>
  `  <path class="grid" d="M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}"/>`

const round = (value: number) => Number(value.toFixed(1))

const escaped = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A scale is a logarithmic axis: whole decades from `start` to `end`, in pixels. */
interface Scale {
  /** Returns the place of a value. */
  at(value: number): number
  /** The powers of ten, first and last included. */
  ticks: number[]
}

/** Returns the decades that contain all values, which are above 0. */
export function scaleOf(values: readonly number[], start: number, end: number): Scale {
  const first = Math.floor(Math.log10(Math.min(...values)))
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))))
  const ticks = Array.from({ length: last - first + 1 }, (_, decade) => powerOf(first + decade))
  const at = (value: number) =>
    start + ((Math.log10(value) - first) / (last - first)) * (end - start)
  return { at, ticks }
}

/** Returns exactly 0.001, and not 0.0010000000000000002. */
const powerOf = (exponent: number) => Number(`1e${exponent}`)

/** Returns two significant digits, such as `0.25`, `1.3`, `29` and `295`. */
export function shortNumber(value: number): string {
  const number = value >= 100 ? Math.round(value) : Number(value.toPrecision(2))
  return number.toLocaleString('en-US', { maximumFractionDigits: 6 })
}
