import { parseArgs } from 'node:util'
import { describeFigure } from './bench/lib/benchmark.ts'
import { BENCHMARKS, type Benchmark } from './bench/lib/catalogue.ts'
import {
  describeMachine,
  missedSection,
  type Outcome,
  type Result,
  runBenchmark,
  withTable,
} from './bench/lib/results.ts'
import { fail } from './lib/fail.ts'

const DOCUMENT = new URL('../.github/docs/benchmarks.md', import.meta.url).pathname

/**
 * Runs all benchmarks one after the other, or those of `--only NAME`, and writes their figures into
 * the table of `.github/docs/benchmarks.md`; with `--runs 2`, each one twice, with the least and the
 * most of both. `--json` prints one line for each figure on the standard output, and everything else
 * on the standard error. Exits with status 1 if a goal is missed or a benchmark fails.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      runs: { type: 'string', default: '1' },
    },
  })
  const chosen = choose(values.only)
  if (!/^[1-9]$/.test(values.runs)) throw new Error('--runs must be a number from 1 to 9')
  const machine = describeMachine()
  const write = (text: string) => (values.json ? process.stderr : process.stdout).write(text)
  const problems: string[] = []
  for (const benchmark of chosen) {
    const lacking = lackingFor(benchmark)
    if (lacking.length > 0) {
      write(`\n${benchmark.name} is skipped: it needs ${lacking.join(', ')}\n`)
      if (values.only.length > 0) problems.push(`${benchmark.name}: needs ${lacking.join(', ')}`)
      continue
    }
    write(`\n${benchmark.name}: ${benchmark.target}\n`)
    const program = new URL(`bench/${benchmark.name}.ts`, import.meta.url).pathname
    const outcome = await runTimes(Number(values.runs), [process.execPath, program], write)
    if (values.json) printLines(outcome, machine)
    problems.push(...problemsOf(benchmark.name, outcome))
    if (outcome.error === undefined) await store(benchmark.name, outcome, machine)
  }
  if (problems.length === 0) return
  write(`\n${missedSection(await Bun.file(DOCUMENT).text())}\n`)
  throw new Error(problems.join('; '))
}

/** Returns the figures of all runs, until one of them breaks. */
async function runTimes(runs: number, ...how: Parameters<typeof runBenchmark>): Promise<Outcome> {
  const figures: Outcome['figures'] = []
  for (let run = 0; run < runs; run++) {
    const outcome = await runBenchmark(...how)
    if (outcome.error !== undefined) return outcome
    figures.push(...outcome.figures)
  }
  return { figures }
}

function choose(only: readonly string[]): readonly Benchmark[] {
  const names = BENCHMARKS.map(({ name }) => name)
  for (const name of only)
    if (!names.includes(name)) throw new Error(`--only ${name} is not one of ${names.join(', ')}`)
  return only.length === 0 ? BENCHMARKS : BENCHMARKS.filter(({ name }) => only.includes(name))
}

const lackingFor = ({ needs = [] }: Benchmark) =>
  needs.filter((need) => (need === 'root' ? process.getuid?.() !== 0 : Bun.which(need) === null))

function printLines({ figures, error }: Outcome, machine: string): void {
  if (error !== undefined) return
  for (const figure of figures) console.log(JSON.stringify({ ...figure, machine }))
}

function problemsOf(name: string, { figures, error }: Outcome): string[] {
  if (error !== undefined) return [`${name}: ${error}`]
  return figures.filter(({ met }) => !met).map((figure) => `${name}: ${describeFigure(figure)}`)
}

/** Stores the figures of one benchmark, so that an interrupted run keeps what it measured. */
async function store(name: string, { figures }: Outcome, machine: string): Promise<void> {
  const where = `${new Date().toISOString().slice(0, 10)}, ${machine}`
  const result: Result = { name, figures, where }
  const text = await Bun.file(DOCUMENT).text()
  await Bun.write(DOCUMENT, withTable(text, BENCHMARKS, [result]))
}

await main().then(() => process.exit(0), fail)
