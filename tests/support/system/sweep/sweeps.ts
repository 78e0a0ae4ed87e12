import { long } from '#tests/support/runs.ts'
import { sampled } from '#tests/support/turns.ts'
import type { CrashingAgent } from './agent.ts'
import { kindsOf } from './points.ts'
import { type Outcome, referenceOf, type Scenario, sweep, tableOf } from './sweep.ts'

/** The sweeps of one server, and the table of their outcomes. */
export class Sweeps {
  readonly agent: CrashingAgent
  readonly outcomes: Outcome[] = []

  constructor(agent: CrashingAgent) {
    this.agent = agent
  }

  /**
   * Interrupts the operation in every way, at each point; outside the long mode at one of
   * `every` points, the last included, and in the gate at some of these. Returns what was wrong.
   */
  async all(scenario: Scenario, every = 1): Promise<string[]> {
    const reference = await referenceOf(this.agent, scenario)
    for (const [kind, points] of kindsOf(reference)) {
      const some = points.filter((_, at) => long || (points.length - 1 - at) % every === 0)
      const outcome = await sweep(this.agent, scenario, reference, kind, sampled(some))
      this.outcomes.push(outcome)
      if (outcome.problems.length > 0) return outcome.problems
    }
    return []
  }

  async end(): Promise<void> {
    console.log(tableOf(this.outcomes))
    await this.agent.stop()
  }
}
