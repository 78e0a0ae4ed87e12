import { expect } from 'bun:test'
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
  expect(await stateOf(agent.host)).toEqual(before)
  return { journal: ended.journal, events: ended.records, before, after }
}

/** Interrupts the operation at each point; the server must then be as before or as after. */
export async function sweep(
  agent: CrashingAgent,
  { work: [command, params], back, ignoring = [] }: Scenario,
  { before, after }: Reference,
  kind: string,
  points: readonly (readonly CrashPoint[])[],
): Promise<Outcome> {
  const outcome = { command, kind, points: 0, before: 0, after: 0, recovery_ms: 0 }
  const comparable = (state: State) => ({
    ...state,
    ...Object.fromEntries(ignoring.map((name) => [name, state[name].length])),
  })
  for (const point of points) {
    const ended = await agent.run(command, params, point)
    const met = Math.min(ended.met, 1)
    outcome.points += met
    outcome.recovery_ms = Math.max(outcome.recovery_ms, ended.recovery_ms)
    const done = endsOnce(ended, point) === 'complete'
    const state = await stateOf(agent.host)
    const expected = done ? comparable(after) : before
    expect([point, done ? comparable(state) : state]).toEqual([point, expected])
    outcome[done ? 'after' : 'before'] += met
    if (!done) continue
    for (const work of back) await perform(agent, work)
    expect([point, await stateOf(agent.host)]).toEqual([point, before])
  }
  return outcome
}

/** Events without gaps, then one terminal event; returns its kind. */
function endsOnce({ events }: Ended, point: readonly CrashPoint[]): string | undefined {
  const kinds = events.map(({ event }): string => event)
  const last = kinds.at(-1)
  expect([point, events.map(({ id }) => id)]).toEqual([point, events.map((_, index) => index + 1)])
  expect([point, kinds.filter((kind) => kind !== 'log')]).toEqual([point, kinds.slice(-1)])
  return last
}

export async function perform(agent: CrashingAgent, [command, params]: Work): Promise<Ended> {
  const ended = await agent.run(command, params)
  // Whole: it has a failure's reason.
  expect([command, ended.events.at(-1)]).toMatchObject([command, { event: 'complete' }])
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
