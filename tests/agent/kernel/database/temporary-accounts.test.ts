import { expect, test } from 'bun:test'
import { reserveAccount } from '#agent/kernel/database/account.ts'
import { findForeignObjects } from '#agent/kernel/database/audit.ts'
import { removeDatabase } from '#agent/kernel/database/mariadb.ts'
import {
  createTemporary,
  endExpired,
  endTemporary,
  listTemporary,
} from '#agent/kernel/database/temporary-accounts.ts'
import { ended, nameOf, withAccounts } from '#tests/support/agent/temporary-users.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const own = (user: string) => ({ user, name: 'shop', writes: 'N' as const })

test('ends the accounts whose time is over, and those that live longer than any may', async () => {
  const [over, living, strange] = [nameOf(-1), nameOf(3600, 'b'.repeat(10)), nameOf(7000)]
  const { host, steps } = await withAccounts(own(over), own(living), own(strange))

  await endExpired(host)

  const [[lock, ...rest], [other, ...others]] = [ended(over), ended(strange)]
  expect(steps).toEqual([lock, other, ...rest, ...others] as string[])
})

test.each([
  ['read', 'grant_reading'],
  ['write', 'grant_tables'],
] as const)(
  'can %s no database whose name differs from that of the site',
  async (rights, grant) => {
    const { host, steps } = await withAccounts()
    const account = { token: 'a1b2c3d4e5', rights, seconds: 600, password_hash: '' }

    await createTemporary(host, { user: 'my_blog', tier: 'small' }, account)

    expect(steps.at(-1)).toBe(`${grant} my\\_blog ${nameOf(600)}`)
  },
)

test('ends an account that has no rights yet, because its creation was interrupted', async () => {
  const user = nameOf(0)
  const { host, steps } = await withAccounts({ user, name: null, writes: 'N' })

  await endExpired(host)

  expect(steps).toEqual(ended(user))
})

test('one whose connection does not end leaves the others locked and ended', async () => {
  const [slow, over] = [nameOf(-1), nameOf(-1, 'b'.repeat(10))]
  const { host, steps } = await withAccounts(own(slow), own(over))
  const { admin } = host.database
  host.database.admin = async (statement, values) => {
    if (statement === 'end_connections' && values?.[0] === slow) throw new Error('it rolls back')
    return admin(statement, values)
  }

  await expect(endExpired(host)).rejects.toThrow('it rolls back')

  expect(steps).toContain(`drop_account ${over}`)
  expect(steps).toContain(`lock_account ${slow}`)
})

test('touches no account with another name', async () => {
  const names = ['shop', 'hosting_tmp_', 'hosting_tmp_a1b2c3d4e5_1', `x${nameOf(-1)}`]
  const { host, steps } = await withAccounts(...names.map(own))

  await endExpired(host)

  expect([await listTemporary(host), steps]).toEqual([[], []])
  for (const name of names)
    await expect(endTemporary(host, name)).rejects.toThrow('not a temporary')
})

test.each([
  ['closed', reserveAccount],
  ['removed', (host: FakeHost, user: string) => removeDatabase(host, user).apply()],
])('the accounts of a database that is %s end first', async (_, work) => {
  const [user, other] = [nameOf(600), nameOf(600, 'c'.repeat(10))]
  const foreign = { user: other, name: 'my\\_blog', writes: 'Y' as const }
  const { host, steps } = await withAccounts(own(user), foreign)

  await work(host, 'shop')

  expect(steps).toEqual(ended(user))
  expect((await listTemporary(host)).map(({ database }) => database)).toEqual(['my_blog'])
})

test('an isolation check reports the rights of an account only if it is not removed after its time', async () => {
  const [living, ending, over] = [nameOf(60), nameOf(-60), nameOf(-121)]
  const { host } = await withAccounts()
  const rights = [living, ending, over].map((user) => ({ user, host: 'localhost', name: 'shop' }))
  host.rows(
    'SET STATEMENT max_statement_time=5, lock_wait_timeout=1 FOR SELECT User AS user, Host AS host, Db AS name FROM mysql.db',
    rights,
  )

  const { found } = await findForeignObjects(host)

  expect(found).toEqual([{ kind: 'right', database: 'shop', name: `${over}@localhost` }])
})
