// tier: core
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { HubKey } from '#shared/servers/enrolment.ts'
import { Watcher } from '#tests/support/canary.ts'
import { type Answer, type Call, Client } from '#tests/support/client.ts'
import { FakeAgent, type Reply } from '#tests/support/fake-agent.ts'
import { created, found } from '#tests/support/found-sites.ts'
import { poll } from '#tests/support/lab/wait.ts'
import {
  ADMIN,
  type Running,
  startAgent,
  startDashboard,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'
import { enrolByHand, type Opened } from '#tests/support/trust/enrol-by-hand.ts'

/** Secrets that no output may contain, by their name; the test adds those that it creates. */
const secrets: Record<string, string> = {
  'the password of the user': 'canary user "password" 5fd1',
  'a wrong password': 'canary wrong \\password 7be2',
  'a password that is too short': 'canary 9ac',
  'the password of a database': 'canary-database-password-3c4d',
  'the password of a WordPress administrator': 'canary-administrator-password-8e9f',
}
const of = (what: string) => secrets[what] ?? ''
const visible = 'canary-of-a-server-name'
const watcher = new Watcher()

let dashboard: Running
let agent: Running
let fake: FakeAgent
let client: Client
let data = ''
let state = ''

/** Every answer is checked, except for the secret that it has to return. */
async function call(asked: Call, tells = ''): Promise<Answer> {
  const answer = await client.send(asked)
  const head = JSON.stringify(answer.headers.toJSON())
  const text = tells === '' ? answer.text : answer.text.replaceAll(JSON.stringify(tells), '""')
  watcher.see(`answer of ${asked.method ?? 'GET'} ${asked.path}`, `${head}\n${text}`)
  return answer
}
const post = (path: string, body?: unknown, tells?: string) =>
  call({ method: 'POST', path, body }, tells)

beforeAll(async () => {
  data = await temporaryFolder('canary')
  state = await temporaryFolder('canary-agent')
  dashboard = await startDashboard(data)
  agent = await startAgent('the executable', { AGENT_AUTH: 'signed', AGENT_STATE_DIR: state })
  fake = await FakeAgent.enrollable()
  fake.sites = [found('shop.example')]
  fake.usage = [created('shop.example')]
  const { pid } = process
  watcher.watch(
    new Map([
      [dashboard.pid, 'dashboard'],
      [agent.pid, 'agent'],
      [pid, 'the tests'],
    ]),
  )
  client = new Client(dashboard.url)
  await logins()
  await enrolments()
  await passwords()
  await agentCalls()
  for (const path of [
    'servers',
    'fleet',
    'activity?limit=500',
    'operations',
    'settings',
    'auth/tokens',
  ])
    await call({ path: `/api/${path}` })
  await seeFiles()
  secrets['the secret of the sessions'] = await readFile(`${data}/jwt-secret`, 'utf8')
  secrets['the secret of the seal'] = await readFile(`${data}/seal-secret`, 'utf8')
  const identity = await readFile(`${state}/trust/identity.json`, 'utf8')
  secrets['the key of the agent'] = JSON.parse(identity).private_key.split('\n')[1]
  await Promise.all([dashboard.stop(), agent.stop(), fake.stop()])
  watcher.stop()
  await seeFiles()
  for (const [name, { output }] of Object.entries({ dashboard, agent }))
    watcher.see(`output of ${name}`, output.out + output.err)
}, 60_000)
afterAll(sweep)

async function seeFiles(): Promise<void> {
  await watcher.seeFiles('data', data)
  await watcher.seeFiles('state', state)
}

async function logins(): Promise<void> {
  const login = (password: unknown) => post('/api/auth/login', { email: ADMIN.email, password })
  const change = (current_password: unknown, password: unknown) =>
    post('/api/auth/password', { current_password, password })
  await client.login(ADMIN)
  const [good, wrong, short] = Object.values(secrets)
  await change(wrong, good)
  await change(ADMIN.password, short)
  await change([good], { good })
  await change(ADMIN.password, good)
  const { cookie = '' } = client
  client.cookie = undefined
  for (const password of [wrong, [good], { good }, null]) await login(password)
  const broken = `{"email":"${ADMIN.email}","password":${JSON.stringify(good)}`
  await call({ method: 'POST', path: '/api/auth/login', body: broken })
  client.cookie = cookie
  await post('/api/auth/logout')
  const { status } = await client.login({ email: ADMIN.email, password: good ?? '' })
  if (status !== 200) throw new Error('The new password is not taken')
  secrets['the session'] = client.cookie?.split('=')[1] ?? ''
  const { body } = await client.post('/api/auth/tokens', { name: 'canary', password: good })
  secrets['an API token'] = (body as { plaintext: string }).plaintext
  const authorization = `Bearer ${of('an API token')}`
  client.cookie = undefined
  for (const path of ['/api/servers', '/api/nowhere', '/api/servers/99', '/api/auth/me'])
    await call({ path, headers: { authorization } })
  await call({ path: '/api/servers', headers: { authorization: `${authorization}x` } })
  client.cookie = `session=${of('the session')}`
}

async function enrolments(): Promise<void> {
  for (const [id, port] of [fake.port, agent.port].entries()) {
    await post('/api/servers', { hostname: '127.0.0.1', port, name: `${visible}-${id}` })
    const { body } = await client.post(`/api/servers/${id + 1}/enrolment`)
    const opened = (body as { enrolment: Opened }).enrolment
    const { code, hub_key } = opened
    secrets[`the enrolment code of server ${id + 1}`] = code
    const key = createHash('sha256').update(`hosting-code/1\n${code}`).digest('base64url')
    secrets[`the key that the code of server ${id + 1} is`] = key
    if (id === 0) await fake.enrolment.open(1, HubKey.parse(hub_key), code)
    else watcher.see('output of the enrolment', await enrolByHand(state, 2, opened))
  }
}

/** Invalid answers to a password request: each is a failure whose message must not repeat it. */
const INVALID: readonly ((good: object) => Reply)[] = [
  (good) => () => Response.json([good]),
  (good) => () => new Response(JSON.stringify(good).slice(0, -1)),
  (good) => () => Response.json(good, { status: 500 }),
  (good) => () => new Response(null, { status: 302, headers: { location: JSON.stringify(good) } }),
  (good) =>
    (_, { outgoing }) => {
      outgoing.writeHead(200, { 'content-length': 999 }).write(JSON.stringify(good))
      setTimeout(() => outgoing.destroy(), 20)
    },
]

/** Each password is read once as it should be, and in every way in which that can fail. */
async function passwords(): Promise<void> {
  await poll(async () => fake.asked.includes('GET /changes'), { every_ms: 50 })
  await post('/api/servers/1/sync')
  const db = { password: of('the password of a database') }
  const admin = { user: 'admin', password: of('the password of a WordPress administrator') }
  for (const [kind, good] of Object.entries({ db, admin })) {
    const path = `/api/servers/1/sites/1/${kind}-password`
    const reply = (answer: Reply) => fake.answers.set(`/sites/${kind}-password`, answer)
    reply(() => Response.json(good))
    const { status } = await post(path, undefined, good.password)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    for (const invalid of INVALID) {
      reply(invalid(good))
      await post(path)
    }
  }
}

/** Requests to the real agent that fail, over the trusted connection. */
async function agentCalls(): Promise<void> {
  await post('/api/servers/2/sync')
  await post('/api/servers/2/services/restart', { service: 'nginx' })
  await call({ method: 'DELETE', path: '/api/servers/2/enrolment' })
  await post('/api/servers/2/sync')
}

/** Where a secret belongs: files that only their owner can read, and what the operator wrote himself. */
const allowed: Record<string, string[]> = {
  'the password that the operator set': ['environment of dashboard'],
  'the secret of the sessions': ['data/jwt-secret'],
  'the secret of the seal': ['data/seal-secret'],
  'the key of the agent': ['state/trust/identity.json'],
}

test('the search finds public values in each kind of place', () => {
  const places = watcher.placesOf(visible)

  expect(places).toContain('answer of GET /api/servers')
  expect(places.some((place) => place.startsWith('data/dashboard.db'))).toBe(true)
  expect(watcher.placesOf('listening on')).toEqual(['output of dashboard', 'output of agent'])
  expect(watcher.placesOf('enrolled: the dashboard')).toEqual(['output of the enrolment'])
  expect(watcher.placesOf('--hub-key')).toEqual(['arguments of a child of the tests'])
})

test('each secret is stored only in its own places', () => {
  secrets['the password that the operator set'] = ADMIN.password
  const found = Object.entries(secrets).map(([what, secret]) => [what, watcher.placesOf(secret)])

  expect(Object.values(secrets).every((secret) => secret.length >= 10)).toBe(true)
  expect(Object.keys(secrets)).toHaveLength(15)
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.keys(secrets).map((what) => [what, allowed[what] ?? []])),
  )
})
