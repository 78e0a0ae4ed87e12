import { beforeEach, describe, expect, test } from 'bun:test'
import { createApp } from '#agent/app.ts'
import { Unauthenticated } from '#agent/kernel/http/unauthenticated.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { Policy } from '#agent/kernel/policy/policy.ts'
import { openGate } from '#agent/kernel/trust/gate.ts'
import { readings } from '#agent/readings.ts'
import { READINGS } from '#shared/readings.ts'
import { readingDeps } from '#tests/support/agent/readings.ts'
import { tableOf } from '#tests/support/commands.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const POLICY = '/etc/hosting-agent/policy.json'

let host: FakeHost
beforeEach(() => {
  host = fakeHost()
})

function agent(gate = openGate) {
  const runner = new Runner({ host, commands: tableOf({}), report: () => undefined })
  return createApp({
    ...readingDeps(host),
    runner,
    readings,
    gate,
    policy: new Policy({ ...host, path: POLICY, store: runner.store }),
    report: () => undefined,
  })
}

async function ask(app: ReturnType<typeof agent>, at: string, body: unknown = {}, query = '') {
  const [method = '', path = ''] = at.split(' ')
  const sent = method === 'POST' ? { method, body: JSON.stringify(body) } : { method }
  const response = await app.request(`${path}${query}`, sent)
  return { status: response.status, body: Object(await response.json()) }
}

const names = READINGS.map(({ at }) => at)
const posts = READINGS.filter(({ at }) => at.startsWith('POST '))
/** Params that are valid for the readings that the policy can deny. */
const VALID: Record<string, object> = {
  'POST /sites/database-upload': { upload: 'a'.repeat(16), part: 0, data: 'YWJj' },
  'POST /sites/database-tool': {
    user: 'hosting_tmp_a1b2c3d4e5_1767229200',
    password: 'a'.repeat(43),
    method: 'GET',
    query: '',
    type: '',
    body: '',
  },
  'POST /sites/database-tool-file': { file: 'default.css' },
  'POST /backups/download': {
    target: { place: { kind: 'local', path: '/mnt/store' }, secret: '' },
    repository: 'shop',
    password_id: 'a'.repeat(64),
    password: '',
    backup: 'a'.repeat(64),
    part: 'files',
    path: '',
    archive: 'tar',
  },
}

test('the agent serves each contract once, and no other reading', async () => {
  expect(Object.keys(readings).toSorted()).toEqual([...names].toSorted())
  for (const { at } of READINGS) expect<string>((await readings[at]()).contract.at).toBe(at)
})

describe.each(names.filter((at) => at !== 'GET /health'))('%s', (at) => {
  test('is refused with 401 when the gate refuses the request', async () => {
    const app = agent(async () => {
      throw new Unauthenticated()
    })

    expect(await ask(app, at)).toEqual({ status: 401, body: { error: 'Unauthorized' } })
  })
})

describe.each(posts.map(({ at }) => at))('%s', (at) => {
  test('refuses a body that is no object with 400, and names a missing field with 422', async () => {
    expect(await ask(agent(), at, [])).toEqual({
      status: 400,
      body: { error: 'Bad request', message: 'The body must be a JSON object' },
    })
    const { status, body } = await ask(agent(), at, {})
    expect({ status, error: body.error }).toEqual({ status: 422, error: 'Validation failed' })
    expect(Object.keys(body.fields)).not.toBeEmpty()
  })
})

test.each([
  ['GET /sites/numbers', '?since=yesterday', ['since']],
  ['GET /changes', '?wait=56&since=disk.1', ['since', 'wait']],
])('%s refuses %s with 422', async (at, query, fields) => {
  const { status, body } = await ask(agent(), at, {}, query)

  expect({ status, fields: Object.keys(body.fields) }).toEqual({ status: 422, fields })
})

const denied = READINGS.flatMap(({ at, permit }) => (permit ? [[at, permit] as const] : []))

test('the policy can deny what has or gives a password, and each change of a database', () => {
  expect(Object.fromEntries(denied)).toEqual({
    'POST /sites/db-password': 'passwords',
    'POST /sites/admin-password': 'passwords',
    'POST /backups/download': 'passwords',
    'POST /sites/database-export': 'database.user',
    'POST /sites/database-upload': 'database.import',
    'POST /sites/database-tool': 'database.tool',
    'POST /sites/database-tool-file': 'database.tool',
  })
})

test.each(denied)('%s is refused with 403 where the policy denies %s', async (at, permit) => {
  const rules = permit === 'passwords' ? { passwords: 'deny' } : { deny: [permit] }
  await host.files.write(POLICY, JSON.stringify(rules), { mode: 0o600 })
  const body = { domain: 'shop.example', ...VALID[at] }

  expect(await ask(agent(), at, body)).toEqual({
    status: 403,
    body: { error: 'Forbidden', message: `${POLICY} on this server denies ${permit}` },
  })
})

test('Adminer gets no request with a field that it must not have', async () => {
  const at = 'POST /sites/database-tool'
  for (const wrong of [
    ...[{ user: 'root' }, { password: 'x' }, { method: 'PUT' }, { query: 'a\nb' }, { query: 'ä' }],
    ...[{ type: 'text/plain' }, { body: '!' }, { body: 'a'.repeat(700_001) }],
  ]) {
    const sent = { domain: 'shop.example', ...VALID[at], ...wrong }
    const { status, body } = await ask(agent(), at, sent)
    expect([status, Object.keys(body.fields)]).toEqual([422, Object.keys(wrong)])
  }
  const file = { domain: 'shop.example', file: '../passwd' }
  expect((await ask(agent(), `${at}-file`, file)).body.fields).toEqual({
    file: ['Must be the name of a file of Adminer'],
  })
})
