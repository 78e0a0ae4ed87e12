import { expect, test } from 'bun:test'
import { databaseUser } from '#agent/features/database/database.user.ts'
import { getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { ended, nameOf, withAccounts } from '#tests/support/agent/temporary-users.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const MOVING = { closed: true }
const HASH = `*${'AB'.repeat(20)}`
const params = {
  ...{ domain, token: 'a1b2c3d4e5', rights: 'read' as const, minutes: 10, account_hash: HASH },
}

async function prepared(...users: string[]) {
  const all = await withAccounts(
    ...users.map((user) => ({ user, name: 'shop', writes: 'N' as const })),
  )
  return all
}
const create = (host: FakeHost, more: object = {}) =>
  outcome(databaseUser.run({ ...params, ...more }, contextOf(host)))

test.each([
  ['read', 'grant_reading'],
  ['write', 'grant_tables'],
] as const)('creates a user with limits that can %s one database', async (rights, grant) => {
  const { host, steps } = await prepared()

  const [lines, result] = await create(host, { rights })

  const user = nameOf(600)
  expect(lines).toEqual([`Creating a temporary user of the database of ${domain}`])
  expect(steps).toEqual([`create_temporary_account ${user} ${HASH} 5 60`, `${grant} shop ${user}`])
  const ends_at = '2026-01-01T00:10:00.000Z'
  expect(result).toEqual({ domain, user, database: 'shop', ends_at })
})

test('the undo ends the user, also one without rights yet, and then nothing', async () => {
  const { host, steps, known } = await prepared()
  await host.database.admin('create_temporary_account', [nameOf(600), HASH, 5, 60])
  expect(await databaseUser.finished?.(params, host)).toBeUndefined()
  steps.length = 0
  const [step] = (await databaseUser.steps?.(params, host)) ?? []

  await step?.undo?.()
  await step?.undo?.()

  expect([steps, known.size]).toEqual([ended(nameOf(600)), 0])
})

test('refuses a sixth user, a site without a database, and one that moves away', async () => {
  const many = await prepared(...['a', 'b', 'c', 'd', 'e'].map((one) => nameOf(60, one.repeat(10))))
  const none = await prepared()
  none.host.databases.delete('shop')
  const moving = await prepared()
  const site = await getSite(moving.host, domain)
  await writeSite(moving.host, { ...site, moving: MOVING })

  const refusals = [many, none, moving].map(async ({ host }) => (await create(host))[1])

  expect(await Promise.all(refusals)).toEqual([
    'shop.example already has 5 temporary users: end one of them',
    'shop.example has no database',
    'shop.example moves to another server: its database is there',
  ])
  expect([many.steps, none.steps, moving.steps]).toEqual([[], [], []])
})
