import { beforeEach, expect, test } from 'bun:test'
import { createApp } from '#agent/app.ts'
import { reading } from '#agent/kernel/calls/reading.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { Policy } from '#agent/kernel/policy/policy.ts'
import { openGate } from '#agent/kernel/trust/gate.ts'
import { readings } from '#agent/readings.ts'
import type { AccessGrant } from '#shared/access/site-access.ts'
import type { ClientAccount } from '#shared/access/site-clients.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { databasePasswordReading } from '#shared/database/readings.ts'
import { adminPasswordReading } from '#shared/wordpress/readings.ts'
import { readingDeps } from '#tests/support/agent/readings.ts'
import { tableOf } from '#tests/support/commands.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'
import { ANNA, BEN } from '#tests/support/ssh-keys.ts'

const FILE = '/etc/hosting-agent/policy.json'
const HOUR_MS = 3_600_000

let host: FakeHost
beforeEach(() => {
  host = fakeHost()
})

const instant = {
  lock: ({ domain }: { domain: string }) => domain,
  plan: async () => [],
  async *run({ domain }: { domain: string }) {
    yield 'Working'
    return { domain }
  },
}

/** An agent as after a restart: what it remembers is on the disk. */
function agent() {
  const commands = tableOf({
    'agent.upgrade': instant as never,
    'site.delete': instant,
    'site.purge': instant,
    'cache.purge': instant,
    'wp.scan': instant as never,
  })
  const runner = new Runner({ host, commands, report: () => undefined })
  const app = createApp({
    runner,
    policy: new Policy({ ...host, path: FILE, store: runner.store }),
    gate: openGate,
    ...readingDeps(host),
    readings: {
      ...readings,
      'POST /sites/db-password': async () =>
        reading(databasePasswordReading, async () => ({ password: 'secret' })),
      'POST /sites/admin-password': async () =>
        reading(adminPasswordReading, async () => ({ user: 'admin', password: 'secret' })),
    },
    enrolment: undefined,
    report: () => undefined,
  })
  return async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await app.request(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers,
    })
    const text = await response.text()
    const { error, message } = response.status === 200 ? {} : JSON.parse(text)
    return { status: response.status, error, message, wait: response.headers.get('retry-after') }
  }
}

const shop = { domain: 'shop.example' }
const remove = { command: 'site.delete', params: shop }
const destroy = {
  command: 'site.purge',
  params: { ...shop, confirm: 'shop.example', trashed_days: 0 },
}
const empty = { command: 'cache.purge', params: shop }
const policy = (rules: unknown, mode = 0o600) =>
  host.files.write(FILE, typeof rules === 'string' ? rules : JSON.stringify(rules), { mode })

const denies = (what: string) => `${FILE} on this server denies ${what}`
const refusal = (what: string) => ({ status: 403, error: 'Forbidden', message: denies(what) })

test('everything is allowed without a policy', async () => {
  const ask = agent()

  expect(await ask('/exec', remove)).toMatchObject({ status: 200 })
  expect(await ask('/sites/db-password', shop)).toMatchObject({ status: 200 })
})

test('a denied command is 403 and names the policy from the next request; others still run', async () => {
  const ask = agent()
  await policy({ deny: ['site.delete', 'wp.scan'] })

  expect(await ask('/exec', remove)).toMatchObject(refusal('site.delete'))
  expect((await ask('/sites/wp-scan', shop)).status).toBe(403)
  expect((await ask('/exec', empty)).status).toBe(200)
  await host.files.remove(FILE)
  expect((await ask('/exec', remove)).status).toBe(200)
})

test('a policy turns upgrades off until it allows them, because another program could ignore it', async () => {
  const upgrade = {
    command: 'agent.upgrade',
    params: { url: 'https://control.example/agent/linux-x64.gz', sha256: 'a'.repeat(64) },
  }
  const ask = agent()
  expect((await ask('/exec', upgrade)).status).toBe(200)

  await policy({})
  expect(await ask('/exec', upgrade)).toMatchObject(refusal('agent.upgrade'))
  await policy({ upgrades: 'allow' })
  expect((await ask('/exec', upgrade)).status).toBe(200)
  await policy({ upgrades: 'allow', deny: ['agent.upgrade'] })
  expect((await ask('/exec', upgrade)).status).toBe(403)
})

test.each(['/sites/db-password', '/sites/admin-password'])('denies %s', async (path) => {
  await policy({ passwords: 'deny' })

  expect(await agent()(path, shop)).toMatchObject(refusal('passwords'))
})

test('a policy without deletion allows no purge; without purge, a deletion can be undone', async () => {
  const ask = agent()
  await policy({ deny: ['site.delete'] })
  expect(await ask('/exec', destroy)).toMatchObject(refusal('site.purge'))

  await policy({ deny: ['site.purge'] })
  expect((await ask('/exec', destroy)).status).toBe(403)
  expect((await ask('/exec', remove)).status).toBe(200)
})

test('destructive commands over the cap are 429 for an hour, also after a restart', async () => {
  await policy({ destructive_per_hour: 2 })
  expect((await agent()('/exec', destroy)).status).toBe(200)
  host.time += HOUR_MS / 2
  const ask = agent()
  expect((await ask('/exec', destroy)).status).toBe(200)

  expect(await agent()('/exec', destroy)).toEqual({
    status: 429,
    error: 'Too many requests',
    message: `${FILE} on this server allows 2 destructive commands an hour`,
    wait: '1800',
  })
  expect((await ask('/exec', destroy)).wait).toBe('1800')
  expect((await ask('/exec', remove)).status).toBe(200)
  host.time += HOUR_MS / 2
  expect((await ask('/exec', destroy)).status).toBe(200)
})

test('the cap allows exactly its number of concurrent commands', async () => {
  await policy({ destructive_per_hour: 3 })
  const ask = agent()

  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/exec', destroy)))

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
})

test('a started operation is replayed under any later policy', async () => {
  const ask = agent()
  const id = { 'operation-id': 'op1' }
  await ask('/exec', destroy, id)
  await policy({ deny: ['site.purge'], destructive_per_hour: 0 })

  expect((await ask('/exec', destroy, id)).status).toBe(200)
  expect((await ask('/exec', destroy, { 'operation-id': 'op2' })).status).toBe(403)
})

test('a refused operation does not count for the cap', async () => {
  await policy({ destructive_per_hour: 1 })
  const ask = agent()
  host.privileged = false
  expect((await ask('/exec', destroy)).message).toContain('must run as root')
  host.privileged = true

  expect((await ask('/exec', destroy)).status).toBe(200)
})

test.each([
  ['no JSON', '{', 0o600, 'is not JSON'],
  ['a rule too many', { allow: [] }, 0o600, 'is wrong at the top'],
  ['an unknown command', { deny: ['site.destroy'] }, 0o600, 'must be the name of a command'],
  ['a prototype as command', { deny: ['__proto__'] }, 0o600, 'must be the name of a command'],
  ['a bad number', { destructive_per_hour: -1 }, 0o600, 'is wrong at destructive_per_hour'],
  ['a file that a group writes', {}, 0o660, 'can be written by others than root'],
  ['a file that everybody writes', {}, 0o602, 'can be written by others than root'],
])('changes nothing with %s, and still reads', async (_, rules, mode, reason) => {
  await policy(rules, mode)
  const ask = agent()

  const refused = await ask('/exec', empty)
  expect(refused).toMatchObject({ status: 403, message: expect.stringContaining(reason) })
  expect((await ask('/sites/db-password', shop)).status).toBe(403)
  expect((await ask('/sites/wp-scan', shop)).status).toBe(200)
})

test('changes nothing with a link or a file that is not root’s', async () => {
  await host.files.mkdir('/etc/hosting-agent')
  await host.files.link('/srv/www/shop/policy.json', FILE)
  expect((await agent()('/exec', empty)).message).toContain('is not a regular file')

  await policy({})
  const stat = host.files.stat.bind(host.files)
  host.files.stat = async (path) => {
    const found = await stat(path)
    return found && { ...found, uid: 1000 }
  }
  expect((await agent()('/exec', empty)).message).toContain('does not belong to root')
})

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
  for (const name of all) expect(await ask(name)).toBe(denies(name))
  expect([await ask('site.delete'), await ask('wp.login')]).toEqual(['permitted', 'permitted'])
})

test('where shells are denied, people still get SFTP', async () => {
  const ask = await asking({ shell: 'deny' })
  const access = (kind: 'sftp' | 'shell') => ({
    ...{ domain: 'shop.example', install: false, clients: [] },
    grants: [{ id: 1, person: 'Anna', kind, expires_at: null, keys: [] }],
  })

  expect(await ask('site.access', access('shell'))).toBe(denies('shells: grant SFTP only'))
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

  expect(await set([], client)).toBe(denies('client accounts: grant access with a key'))
  expect([await set([client], client), await set([client])]).toEqual(['permitted', 'permitted'])
  const password_hash = `$2b$10$${'b'.repeat(53)}`
  for (const more of [{ password_hash }, { expires_at: null }, { token: 'abcd2346' }])
    expect(await set([client], { ...client, ...more })).toContain('denies client accounts')
})

test('where passwords stay on the server, nobody gets a user of a database', async () => {
  const ask = await asking({ passwords: 'deny' })

  for (const name of ['database.user', 'database.tool'] as const)
    expect(await ask(name)).toBe(denies(name))
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

  expect(await users('database.tool')).toBe(denies('database.tool'))
  expect([await tool('database.tool'), await tool('database.user')]).toEqual([
    denies('database.tool'),
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
