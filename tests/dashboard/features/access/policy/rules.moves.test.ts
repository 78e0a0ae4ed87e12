import { expect, test } from 'bun:test'
import { moveRowOf } from '#dashboard/features/moves/move-row.ts'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { hangs, movingServers } from '#tests/support/dashboard/moves.ts'
import { ended } from '#tests/support/dashboard/operations.ts'

/** Two servers, the first with a site and Anna, who operates that server only. */
async function start() {
  const all = await movingServers()
  const { dashboard, first, second, shop } = all
  const robot = { name: 'robot', role: null, parts: [{ gives: 'operator', server_id: first }] }
  await dashboard.call('POST', '/api/service-accounts', robot)
  const site = `/api/servers/${first}/sites/${shop}`
  return {
    ...all,
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
    add: (rule: string) => dashboard.call('POST', '/api/policy/rules', { rule }),
    move: (more: object = {}) =>
      dashboard.send('POST', `${site}/move`, { server_id: second, ...more }),
  }
}

const CAN = 'robot can site.update@site:shop.example'

test('a move after which a rule would not hold is refused before it starts, also as a plan', async () => {
  await using all = await start()
  await all.add(CAN)

  const answers = [await all.move(), await all.move({ dry_run: true })]

  for (const answer of answers)
    expect([answer.status, await answer.json()]).toEqual([
      409,
      {
        error: 'Conflict',
        message: `A rule of the access policy would not hold any more. "${CAN}": robot cannot do it on the site shop.example. An owner can delete the rule on the page People first`,
        code: 'policy_broken',
        broken_rules: [
          { id: 1, rule: CAN, problem: 'robot cannot do it on the site shop.example' },
        ],
      },
    ])
  expect(all.asked).toEqual([])
})

test('while a site moves, the rules count it on both servers', async () => {
  await using all = await start()
  const hanging = hangs(all, { of: 'two', command: 'site.receive' })
  const answer = await all.move()
  const id = answer.headers.get('operation-id') ?? ''
  await until(async () => all.asked.some(([, command]) => command === 'site.switch'))

  const added = await all.add(CAN)

  expect(added.body).toEqual({
    error: 'Conflict',
    message: `The rule "${CAN}" does not hold now: robot cannot do it on the site shop.example. Change the rights first`,
    code: 'rule_not_true',
  })
  hanging.ends()
  await all.dashboard.call('POST', `/api/operations/${id}/cancel`)
  await ended(all.dashboard, id)
  expect((await all.add(CAN)).status).toBe(201)
})

test('a move that a rule of the meantime forbids does not begin', async () => {
  await using all = await start()
  const { deps, db } = all.dashboard
  const operation = { id: 'move-1', type: 'site.move', actor: 1 } as const
  const site = { id: all.shop, domain: 'shop.example' }
  await all.add(CAN)

  const row = moveRowOf(deps, operation, site, all.second)

  await expect(row).rejects.toMatchObject({ refusal: 'policy_broken' })
  expect(await findMove(db, all.shop)).toBeUndefined()
})
