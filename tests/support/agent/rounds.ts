import { commands } from '#agent/commands.ts'
import { FoundMonitor } from '#agent/features/health/found/monitor.ts'
import { HealthMonitor } from '#agent/features/health/monitor.ts'
import { NumbersCollector } from '#agent/features/metrics/collector.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { type RoundDeps, repeat, roundsOf } from '#agent/rounds.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

type Report = RoundDeps['report']

export function roundDeps(
  host: FakeHost,
  report: Report,
  given: Partial<RoundDeps> = {},
): RoundDeps {
  const runner = new Runner({ host, commands, report: () => undefined })
  const own = new HealthMonitor(host, { isBusy: () => false, report })
  const found = new FoundMonitor(host)
  const numbers = new NumbersCollector(host)
  return { host, runner, own, found, numbers, operations_bytes: 2 ** 40, report, ...given }
}

export type RoundName = keyof ReturnType<typeof roundsOf>

/** Repeats one round of the agent until the clock of the host ends it. */
export function repeatRound(
  host: FakeHost,
  name: RoundName,
  report: Report,
  given: Partial<RoundDeps> = {},
): Promise<never> {
  return repeat(host, roundsOf(roundDeps(host, report, given))[name], report)
}
