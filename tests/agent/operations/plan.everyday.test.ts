import { expect, test } from 'bun:test'
import { Plan } from '#shared/plan.ts'
import { EVERYDAY, MORE } from '#tests/support/agent/everyday.ts'
import { carryOut, runnerOn } from '#tests/support/plan/carry-out.ts'
import { deviations } from '#tests/support/plan/deviations.ts'
import { emptying, thingsOf } from '#tests/support/plan/fake-things.ts'

test.each([...EVERYDAY, ...MORE])(
  '$command ($title) does exactly what its plan says',
  async (each) => {
    const host = emptying(await each.make())
    host.time += 1000
    const before = await thingsOf(host)

    const plan = await runnerOn(host).plan(each.command, each.params)

    expect(Plan.parse(plan)).toEqual(plan)
    expect(await thingsOf(host)).toEqual(before)
    expect(await carryOut(host, each.command, each.params)).toEqual(
      plan.steps.map(({ name }) => name),
    )
    expect(deviations(plan, before, await thingsOf(host))).toEqual([])
  },
)
