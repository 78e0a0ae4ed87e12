import type { Benchmark } from './catalogue.ts'
import { describeRuns, type Figure } from './figure.ts'

const START = '<!-- benchmarks: written by `bun run bench` -->'
const END = '<!-- end of benchmarks -->'
const NEVER = 'not measured yet'

/** The figures of one benchmark, with the day and the machine of their run. */
export interface Result {
  name: string
  /** The figures are of one run or more. */
  figures: Figure[]
  /** The day and the machine, such as `2026-11-24, 2 × Intel Xeon`. */
  where: string
}

/** The row of a benchmark that did not run. */
interface Kept {
  measured: string
  where: string
}

/**
 * Returns the document with the table of these benchmarks between its markers: with the new
 * results, and with the previous ones of all benchmarks that did not run. Throws if a marker is
 * missing.
 */
export function withTable(
  document: string,
  benchmarks: readonly Benchmark[],
  results: readonly Result[],
): string {
  const [start, end] = [document.indexOf(START), document.indexOf(END)]
  if (start < 0 || end < start) throw new Error('the document has no markers of the table')
  const kept = keptIn(document.slice(start, end))
  for (const { name, figures, where } of results)
    kept.set(name, { measured: describeRuns(figures).join('; '), where })
  const rows = benchmarks.map((benchmark) => rowOf(benchmark, kept.get(benchmark.name)))
  const head = ['| target | measured | date and machine | command |', '|---|---|---|---|']
  const table = [START, '', ...head, ...rows, '', ''].join('\n')
  return document.slice(0, start) + table + document.slice(end)
}

/** Returns the rows by the name in the command of each row. */
function keptIn(table: string): Map<string, Kept> {
  const kept = new Map<string, Kept>()
  for (const line of table.split('\n')) {
    const name = /`bun run bench --only ([a-z-]+)`[^|]*\|$/.exec(line)?.[1]
    const cells = line.split(' | ')
    if (name === undefined || cells.length !== 4) continue
    kept.set(name, { measured: cells[1] ?? '', where: cells[2] ?? '' })
  }
  return kept
}

function rowOf({ name, target, needs = [] }: Benchmark, kept?: Kept): string {
  const { measured, where } = kept ?? { measured: NEVER, where: '–' }
  const needed = needs.length === 0 ? '' : ` (${needs.join(', ')})`
  const cells = [target, measured, where, `\`bun run bench --only ${name}\`${needed}`]
  return `| ${cells.map((cell) => cell.replaceAll('|', '/')).join(' | ')} |`
}

/** Returns what the document says of goals that are missed: why, and what was tried. */
export function missedSection(document: string): string {
  const sections = document.split(/^## /m)
  const found = sections.find((section) => section.startsWith('Goals that are missed\n'))
  return found?.trim() ?? ''
}
