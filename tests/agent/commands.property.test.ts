// tier: gate
import { expect, test } from 'bun:test'
import { commands } from '#agent/commands.ts'
import { removeLeftoverSessions } from '#agent/features/backups/read/open-backup.ts'
import { removeLeftoverPhases } from '#agent/features/domains/issue-phase.ts'
import { withdrawAllTokens } from '#agent/features/domains/probe-names.ts'
import { OperationStore } from '#agent/kernel/operations/store.ts'
import { COMMAND_NAMES } from '#shared/contracts.ts'
import { Plan } from '#shared/kernel/plan.ts'
import { perform, stateOf } from '#tests/support/agent/everyday.ts'
import { isKilledAt } from '#tests/support/agent/killed.ts'
import { carryOut, runnerOn } from '#tests/support/plan/carry-out.ts'
import { deviations } from '#tests/support/plan/deviations.ts'
import {
  EVERY,
  EVERYDAY_TITLES,
  type EveryCase,
  leftBy,
} from '#tests/support/plan/every-command.ts'
import { emptying, thingsOf } from '#tests/support/plan/fake-things.ts'
import { recover } from '#tests/support/recover.ts'
import { points } from '#tests/support/runs.ts'

test('every command has a case', () => {
  const known = EVERY.map(({ command }) => command)

  expect(COMMAND_NAMES.filter((name) => !known.includes(name))).toEqual([])
})

test.each([...EVERY])(
  '$title does exactly what its plan says',
  async ({ command, isVisible, prepare }) => {
    const { host, params } = await prepare()
    emptying(host).time += 1000
    const before = await thingsOf(host)

    const plan = await runnerOn(host).plan(command, params)

    expect(Plan.parse(plan)).toEqual(plan)
    if (isVisible) expect(await thingsOf(host)).toEqual(before)
    expect(await carryOut(host, command, params)).toEqual(plan.steps.map(({ name }) => name))
    if (isVisible) expect(deviations(plan, before, await thingsOf(host))).toEqual([])
  },
)

/** The machine whose agent was killed at its n-th effect, and started again. */
async function recoveredFrom({ command, prepare }: EveryCase, at: number) {
  const { host, params } = await prepare()
  if (!(await isKilledAt(at, host, command, params))) return undefined
  // As at the start of the agent.
  await Promise.all([
    removeLeftoverSessions(host),
    withdrawAllTokens(host),
    removeLeftoverPhases(host),
  ])
  await recover(host, commands)
  const store = new OperationStore(host.files, host.settings.state_dir)
  return { host, params, end: (await store.events('op1')).at(-1)?.event }
}

test.each(EVERY.filter(({ isUndone }) => isUndone))(
  '$title is done or undone when the agent is killed at any effect, and works when repeated',
  async (each) => {
    const { command, title } = each
    const kept = leftBy(each)
    const before = await stateOf((await each.prepare()).host, kept)
    const whole = await each.prepare()
    await perform(whole.host, command, whole.params)
    const after = await stateOf(whole.host, kept)

    for (const at of points(EVERYDAY_TITLES.has(title) ? 2 : 13)) {
      const left = await recoveredFrom(each, at)
      if (!left) break
      const { host, params, end } = left
      const expected = end === 'complete' ? after : before
      expect([at, end, await stateOf(host, kept)]).toEqual([at, end, expected])
      if (end === 'complete') continue
      const [, again] = await perform(host, command, params)
      expect([at, again, await stateOf(host, kept)]).toEqual([at, expect.any(Object), after])
    }
  },
  60_000,
)

/** A restart undoes or repeats them, or their params alone decide what is there. */
const WITHOUT_RESULT =
  /^(agent|backup\.(check|create|prove)|cache|database\.(import|maintain)|isolation|mail|server|service|site\.(catch-up|compare|gather|job-run|rename-preview)|updates|wp\.(cache-flush|cron-run|login|scan))/
/** The site has it already. */
const DONE_BEFORE = /"tier":"small"|"tls":"none".* withSite/

test.each(EVERY.filter(({ command }) => !WITHOUT_RESULT.test(command)))(
  '$title has its result after a restart once it is done, and not before',
  async ({ title, command, prepare }) => {
    const { host, params } = await prepare()
    const { finished } = await commands[command]()
    host.time += 1000
    const since = host.time
    // What decides by a step of its own is not asked before that.
    const found = async (): Promise<unknown> => {
      try {
        return await finished?.(params as never, host, since)
      } catch {
        return undefined
      }
    }
    if (!DONE_BEFORE.test(title)) expect(await found()).toBeUndefined()

    const [, result] = await perform(host, command, params)

    expect<unknown>(await found()).toEqual(result)
  },
)
