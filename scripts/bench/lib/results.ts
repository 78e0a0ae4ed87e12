import { cpus, totalmem } from 'node:os'
import process from 'node:process'
import { describeRuns, type Figure, figuresIn } from './benchmark.ts'
import type { Benchmark } from './catalogue.ts'

export interface Outcome {
  figures: Figure[]
  /** Why its figures do not count, such as a wrong answer. */
  error?: string
}

/** Runs one benchmark with its output on `write`. A benchmark that misses a goal exits with 1. */
export async function runBenchmark(
  argv: readonly string[],
  write: (text: string) => unknown,
): Promise<Outcome> {
  const child = Bun.spawn([...argv], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, status] = await Promise.all([
    copied(child.stdout, write),
    copied(child.stderr, write),
    child.exited,
  ])
  return outcomeOf(output, errors, status)
}

/** A status other than 0 without a missed goal means that an answer was wrong, or that it broke. */
export function outcomeOf(output: string, errors: string, status: number): Outcome {
  const figures = figuresIn(output)
  const last = errors.trim().split('\n').at(-1) || `exit status ${status}`
  if (status !== 0 && figures.every(({ met }) => met)) return { figures, error: last }
  if (figures.length === 0) return { figures, error: 'it reports no figure' }
  return { figures }
}

async function copied(stream: ReadableStream<Uint8Array>, write: (text: string) => unknown) {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    const part = decoder.decode(bytes, { stream: true })
    text += part
    write(part)
  }
  return text
}

/** Returns a description such as `2 × Intel Xeon Processor, 8 GB, Bun 1.4.4`. */
export function describeMachine(): string {
  const model = (cpus()[0]?.model ?? process.arch).replaceAll(/\((?:R|TM)\)/g, '').trim()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${model}, ${memory} GB, Bun ${Bun.version}`
}

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
