import { parseArgs } from 'node:util'
import { z } from 'zod'
import { fail } from '#scripts/lib/fail.ts'

/** A figure that was measured. `ratio` is what the goal limits; without one, `ours` is. */
const Figure = z.object({
  name: z.string(),
  unit: z.string(),
  ours: z.number(),
  against: z.number().nullable(),
  ratio: z.number().nullable(),
  goal: z.string(),
  met: z.boolean(),
})
export type Figure = z.infer<typeof Figure>

type Goal = ({ at_most: number } | { at_least: number }) & {
  /** What the figure is compared with, measured in the same run. */
  against?: number
  /** The ratio is `ours / against`, unless the goal limits another one. */
  ratio?: number
}

/** The mark starts the line of a figure in the output of a benchmark. */
const MARK = 'figure   '

export function figureOf(name: string, ours: number, unit: string, goal: Goal): Figure {
  const { against = null } = goal
  const ratio = goal.ratio ?? (against === null ? null : ours / against)
  const limited = ratio ?? ours
  const suffix = ratio === null ? unit : '×'
  const [words, limit, met] =
    'at_most' in goal
      ? (['at most', goal.at_most, limited <= goal.at_most] as const)
      : (['at least', goal.at_least, limited >= goal.at_least] as const)
  return { name, unit, ours, against, ratio, goal: `${words} ${limit} ${suffix}`, met }
}

const missed: string[] = []

/** Prints a figure, also as a line that `bun run bench` reads. */
export function report(name: string, ours: number, unit: string, goal: Goal): void {
  const figure = figureOf(name, ours, unit, goal)
  console.log(`${MARK}${JSON.stringify(figure)}\n${describeFigure(figure)}`)
  if (!figure.met) missed.push(name)
}

/** Runs a benchmark, then `end`, and exits: with status 1 if one of them throws, or a goal is missed. */
export async function benchmark(
  run: () => Promise<unknown>,
  end: () => Promise<unknown>,
): Promise<never> {
  await run().finally(end).catch(fail)
  if (missed.length > 0) fail(new Error(`missed: ${missed.join(', ')}`))
  process.exit(0)
}

/** Returns a number of the command line, such as that of `--megabytes 2000`. */
export function numberOption(name: string, fallback: number): number {
  const { values } = parseArgs({ options: { [name]: { type: 'string' } }, strict: false })
  return Number(values[name] ?? fallback)
}

/** Returns the figures in the output of a benchmark. Throws if a line is not a figure. */
export function figuresIn(output: string): Figure[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith(MARK))
    .map((line) => Figure.parse(JSON.parse(line.slice(MARK.length))))
}

/** Describes a figure, such as `servers: 0.52 × (50,800 against 96,700 requests/s)`. */
export function describeFigure({ name, unit, ours, against, ratio, goal, met }: Figure): string {
  const value = `${rounded(ours)} ${unit}`
  const compared = against === null ? value : `${rounded(ours)} against ${rounded(against)} ${unit}`
  const found = ratio === null ? value : `${rounded(ratio)} × (${compared})`
  return met ? `${name}: ${found}` : `**missed, ${name}: ${found}, goal ${goal}**`
}

/** Returns the worst figure of each name, with the least and the most of all runs. */
export function describeRuns(figures: readonly Figure[]): string[] {
  return [...Map.groupBy(figures, ({ name }) => name).values()].map((runs) => {
    const [worst] = runs.toSorted(byGoal).slice(-1)
    const described = worst ? describeFigure(worst) : ''
    if (runs.length < 2) return described
    const values = runs.map(limited)
    const suffix = worst?.ratio === null ? worst.unit : '×'
    const [least, most] = [Math.min(...values), Math.max(...values)].map(rounded)
    return `${described} [${runs.length} runs: ${least} to ${most} ${suffix}]`
  })
}

/** Returns what the goal limits. */
const limited = ({ ratio, ours }: Figure) => ratio ?? ours

/** Orders figures by their goal, the worst one last. */
function byGoal(one: Figure, other: Figure): number {
  const growth = limited(one) - limited(other)
  return one.goal.startsWith('at least') ? -growth : growth
}

/** Returns three significant digits, or all digits before the point. */
function rounded(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const shown = Math.abs(value) < 0.1 && value !== 0 ? value.toPrecision(2) : value.toFixed(digits)
  return Number(shown).toLocaleString('en-US', { maximumFractionDigits: 6 })
}
