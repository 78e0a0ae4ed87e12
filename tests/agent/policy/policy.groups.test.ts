import { expect, test } from 'bun:test'
import { Runner } from '#agent/operations/runner.ts'
import { Policy } from '#agent/policy/policy.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import type { AccessGrant } from '#shared/site-access.ts'
import type { ClientAccount } from '#shared/site-clients.ts'
import { tableOf } from '#tests/support/commands.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { ANNA, BEN } from '#tests/support/ssh-keys.ts'

const FILE = '/etc/hosting-agent/policy.json'

/** Asks for a permit under these rules: why it is refused, or "permitted". */
async function asking(rules: object, access: AccessGrant[] = [], clients: ClientAccount[] = []) {
  const host = fakeHost()
  await host.files.write(FILE, JSON.stringify(rules), { mode: 0o600 })
  const { store } = new Runner({ host, commands: tableOf({}), report: () => undefined })
  const policy = new Policy({
    ...host,
    path: FILE,
    store,
    recorded: async () => ({ access, clients }),
  })
  return <N extends CommandName>(command: N, params?: ParamsOf<N>) =>
    policy.permit(command, params).then(
      () => 'permitted',
      (error: Error) => error.message,
    )
}

test('a denied group denies all commands of that beginning, and no others', async () => {
  const ask = await asking({ deny: ['database.*'] })

  const all = ['database.maintain', 'database.tool', 'database.user', 'database.user-end'] as const
  for (const name of all) expect(await ask(name)).toBe(`${FILE} on this server denies ${name}`)
  expect([await ask('site.delete'), await ask('wp.login')]).toEqual(['permitted', 'permitted'])
})

test('where shells are denied, people still get SFTP', async () => {
  const ask = await asking({ shell: 'deny' })
  const access = (kind: 'sftp' | 'shell') => ({
    ...{ domain: 'shop.example', install: false, clients: [] },
    grants: [{ id: 1, person: 'Anna', kind, expires_at: null, keys: [] }],
  })

  expect(await ask('site.access', access('shell'))).toBe(
    `${FILE} on this server denies shells: grant SFTP only`,
  )
  expect(await ask('site.access', access('sftp'))).toBe('permitted')
  expect(await ask('site.access', { ...access('sftp'), grants: [] })).toBe('permitted')
})

test('where shells are denied, a person keeps the shell while others lose theirs', async () => {
  const [anna, ben] = [ANNA, BEN].map((key, at) => ({
    ...{ id: at + 1, person: 'Somebody', kind: 'shell' as const, keys: [key] },
    expires_at: '2027-01-31T18:00:00Z',
  })) as [AccessGrant, AccessGrant]
  const ask = await asking({ shell: 'deny' }, [anna, ben])
  const set = (...grants: AccessGrant[]) =>
    ask('site.access', { domain: 'shop.example', install: false, clients: [], grants })

  expect(await set(anna)).toBe('permitted')
  for (const more of [{ keys: [ANNA, BEN] }, { expires_at: null }, { id: 3 }])
    expect(await set({ ...anna, ...more })).toContain('denies shells')
})

test('where client accounts are denied, an existing one is kept and removed, and no other is created', async () => {
  const client = {
    ...{ token: 'abcd2345', label: 'Print shop', expires_at: '2027-01-31T18:00:00Z' },
    password_hash: `$2b$10$${'a'.repeat(53)}`,
  }
  const set = async (known: ClientAccount[], ...clients: ClientAccount[]) =>
    (await asking({ client_accounts: 'deny' }, [], known))('site.access', {
      ...{ domain: 'shop.example', install: false, grants: [], clients },
    })

  expect(await set([], client)).toBe(
    `${FILE} on this server denies client accounts: grant access with a key`,
  )
  expect([await set([client], client), await set([client])]).toEqual(['permitted', 'permitted'])
  const password_hash = `$2b$10$${'b'.repeat(53)}`
  for (const more of [{ password_hash }, { expires_at: null }, { token: 'abcd2346' }])
    expect(await set([client], { ...client, ...more })).toContain('denies client accounts')
})

test('where passwords stay on the server, nobody gets a user of a database', async () => {
  const ask = await asking({ passwords: 'deny' })

  for (const name of ['database.user', 'database.tool'] as const)
    expect(await ask(name)).toBe(`${FILE} on this server denies ${name}`)
  expect([await ask('database.user-end'), await ask('database.maintain')]).toEqual([
    'permitted',
    'permitted',
  ])
})

test('without users of databases there is no Adminer, but there are users without it', async () => {
  const [users, tool] = [
    await asking({ deny: ['database.user'] }),
    await asking({ deny: ['database.tool'] }),
  ]

  expect(await users('database.tool')).toBe(`${FILE} on this server denies database.tool`)
  expect([await tool('database.tool'), await tool('database.user')]).toEqual([
    `${FILE} on this server denies database.tool`,
    'permitted',
  ])
})

test.each(['databases.*', '*', '.*', 'database.', 'database.user.*', 'data*'])(
  'a policy with the unknown group %s changes nothing',
  async (group) => {
    const ask = await asking({ deny: [group] })

    expect(await ask('site.delete')).toContain('or the first part of names and .*')
  },
)
