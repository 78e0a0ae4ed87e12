import type { CrashingAgent, Ended } from './agent.ts'
import type { CrashPoint } from './crash-point.ts'
import { type State, stateOf } from './state.ts'

export type Work = readonly [command: string, params: object]

/** An operation to interrupt at every record; `back` restores the state after a success. */
export interface Scenario {
  work: Work
  back: readonly Work[]
  /** Differences between two successes, such as the rows of a new installation. */
  ignoring?: readonly (keyof State)[]
}

/** One row of the table: the points of a kind that were met, and their results. */
export interface Outcome {
  command: string
  kind: string
  points: number
  before: number
  after: number
  /** The longest time from the agent's start to the terminal event. */
  recovery_ms: number
  /**
   * The differences of the first point whose state was neither that before nor that after the
   * operation. The sweep ends there; empty if all points were right.
   */
  problems: string[]
}

/** The records of an uninterrupted operation, and its states before and after. */
export interface Reference {
  /** Steps with their states, such as `user intent`. */
  journal: readonly string[]
  /** The number of records in the event file. */
  events: number
  before: State
  after: State
}

export async function referenceOf(agent: CrashingAgent, scenario: Scenario): Promise<Reference> {
  const before = await stateOf(agent.host)
  const ended = await perform(agent, scenario.work)
  const after = await stateOf(agent.host)
  for (const work of scenario.back) await perform(agent, work)
  const left = changes(before, await stateOf(agent.host))
  if (left.length > 0) throw new Error(`${scenario.work[0]} is not taken back: ${left.join('\n')}`)
  return { journal: ended.journal, events: ended.records, before, after }
}

/** Interrupts the operation at each point; the server must then be as before or as after. */
export async function sweep(
  agent: CrashingAgent,
  scenario: Scenario,
  reference: Reference,
  kind: string,
  points: readonly (readonly CrashPoint[])[],
): Promise<Outcome> {
  const [command, params] = scenario.work
  const outcome: Outcome = {
    ...{ command, kind },
    ...{ points: 0, before: 0, after: 0, recovery_ms: 0, problems: [] },
  }
  for (const point of points) {
    const ended = await agent.run(command, params, point)
    const met = Math.min(ended.met, 1)
    outcome.points += met
    outcome.recovery_ms = Math.max(outcome.recovery_ms, ended.recovery_ms)
    outcome[isDone(ended) ? 'after' : 'before'] += met
    const problems = await problemsOf(agent, scenario, reference, ended)
    outcome.problems.push(...problems.map((line) => `${JSON.stringify(point)}: ${line}`))
    if (problems.length > 0) break
  }
  return outcome
}

const isDone = ({ events }: Ended) => events.at(-1)?.event === 'complete'

/** A completed operation is taken back. */
async function problemsOf(
  agent: CrashingAgent,
  { back, ignoring }: Scenario,
  { before, after }: Reference,
  ended: Ended,
): Promise<string[]> {
  const state = await stateOf(agent.host)
  if (!isDone(ended)) return [...unorderly(ended), ...changes(before, state)]
  const problems = [...unorderly(ended), ...changes(after, state, ignoring)]
  if (problems.length > 0) return problems
  for (const work of back) await perform(agent, work)
  return changes(before, await stateOf(agent.host))
}

/** Events have no gaps, and the terminal one is the last. */
function unorderly({ events }: Ended): string[] {
  const numbers = events.map(({ id }) => id)
  const ends = events.filter(({ event }) => event !== 'log').length
  return [
    ...(numbers.every((id, at) => id === at + 1) ? [] : [`events ${numbers.join(', ')}`]),
    ...(ends === 1 && events.at(-1)?.event !== 'log' ? [] : [`${ends} terminal events`]),
  ]
}

/** Returns a line for each thing that only one of the states has; of an ignored list the lengths count. */
function changes(was: State, is: State, ignoring: readonly (keyof State)[] = []): string[] {
  const names = Object.keys({ ...was, ...is }) as (keyof State)[]
  return names.flatMap((name) => {
    if (ignoring.includes(name) && was[name].length === is[name].length) return []
    if (Bun.deepEquals(was[name], is[name])) return []
    const [gone, added] = [without(was[name], is[name]), without(is[name], was[name])]
    return [`${name}: not ${gone.join(' | ')}, but ${added.join(' | ')}`]
  })
}

const without = (all: readonly string[], others: readonly string[]) =>
  all.filter((line) => !others.includes(line))

export async function perform(agent: CrashingAgent, [command, params]: Work): Promise<Ended> {
  const ended = await agent.run(command, params)
  const last = ended.events.at(-1)
  if (last?.event !== 'complete') throw new Error(`${command}: ${JSON.stringify(last)}`)
  return ended
}

export function tableOf(outcomes: readonly Outcome[]): string {
  const head = ['operation', 'cut off', 'points', 'before', 'after', 'slowest recovery']
  const rows = outcomes.map(({ command, kind, points, before, after, recovery_ms }) =>
    [command, kind, points, before, after, `${recovery_ms} ms`].map(String),
  )
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  return [head, ...rows]
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .join('\n')
}
