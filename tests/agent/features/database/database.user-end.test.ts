import { expect, test } from 'bun:test'
import { databaseUserEnd } from '#agent/features/database/database.user-end.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { ended, nameOf, withAccounts } from '#tests/support/agent/temporary-users.ts'

const { domain } = shop
const user = nameOf(600)
const params = { domain, user }
const of = (name: string) => withAccounts({ user, name, writes: 'N' })

test('locks the user, ends its connections, and removes it', async () => {
  const { host, steps } = await of('shop')

  const [lines, result] = await outcome(databaseUserEnd.run(params, contextOf(host)))

  expect(lines).toEqual([`Ending a temporary user of the database of ${domain}`])
  expect([steps, result]).toEqual([ended(user), params])
})

test('does not find the user of another site, and waits for no other work', async () => {
  const { host, steps } = await of('blog')

  const [, reason] = await outcome(databaseUserEnd.run(params, contextOf(host)))

  expect(reason).toBe(`Temporary user ${user} of ${domain} not found`)
  expect([steps, await databaseUserEnd.lock(params, host)]).toEqual([[], undefined])
})
