// tier: core
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { HubKey } from '#shared/servers/enrolment.ts'
import { cut, cutBody, FakeAgent, METRICS, type Reply } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'
import { poll } from '#tests/support/lab/wait.ts'
import { useDashboard } from '#tests/support/running.ts'
import { challenge, nonce } from '#tests/support/trust/sign.ts'

const site = found('shop.example')

let agent: FakeAgent
const { client } = useDashboard()
beforeAll(async () => {
  agent = await FakeAgent.enrollable()
  await client().post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
  const { body } = await client().post('/api/servers/1/enrolment')
  const { code, hub_key } = (body as { enrolment: { code: string; hub_key: string } }).enrolment
  await agent.enrolment.open(1, HubKey.parse(hub_key), code)
  await poll(async () => agent.asked.includes('GET /changes'), { every_ms: 50 })
}, 60_000)
beforeEach(() => agent.answers.clear())
afterAll(() => agent.stop())

const says = (text: string) => () => new Response(text)
const sync = async () => {
  const { status, body, text } = await client().post('/api/servers/1/sync')
  return status === 200 ? text : { status, body }
}
const away = (message: string) => ({ status: 503, body: { error: 'Agent offline', message } })
const broken = () => away(`The agent on 127.0.0.1:${agent.port} broke the connection`)
const malformed = away('The agent sent a malformed answer to /metrics')
const refusing = (seconds: number) => () =>
  challenge(nonce(), Math.floor(Date.now() / 1000) + seconds)

describe('an agent that', () => {
  test.each<[string, string | Reply, object]>([
    ['sends nothing', '', away('The agent sent an answer that is not JSON')],
    ['sends HTML', '<html></html>', away('The agent sent an answer that is not JSON')],
    [
      'sends a list without end',
      '['.repeat(1e6),
      away('The agent sent an answer that is not JSON'),
    ],
    ['sends a list', '[]', malformed],
    ['sends null', 'null', malformed],
    ['hides its values in a prototype', `{"__proto__":${JSON.stringify(METRICS)}}`, malformed],
    ['sends less than nothing', JSON.stringify({ ...METRICS, cpu: -1 }), malformed],
    ['sends a number beyond all', JSON.stringify(METRICS).replace('3600', '1e999'), malformed],
    ['sends more memory than there is', JSON.stringify({ ...METRICS, cpu: 1e13 }), malformed],
    ['sends a very long name', JSON.stringify({ ...METRICS, os: 'x'.repeat(256) }), malformed],
    [
      'sends another to somebody else',
      () => {
        const location = 'http://169.254.169.254/latest/meta-data'
        return new Response(null, { status: 302, headers: { location } })
      },
      away('The agent answered: status 302'),
    ],
    [
      'refuses the key',
      () => Response.json({ error: 'Unauthorized' }, { status: 401 }),
      away(
        'The agent refused the key of this dashboard: as root on the server, run "hosting-agent trust --hub-key" with the key on the page Keys',
      ),
    ],
    [
      'tells a new nonce each time',
      refusing(0),
      away(
        'The agent refused the key of this dashboard: as root on the server, run "hosting-agent trust --hub-key" with the key on the page Keys',
      ),
    ],
    [
      'answers with a page of its own',
      () => {
        const message = `<script>alert(1)</script>${'x'.repeat(1000)}`
        return Response.json({ message }, { status: 500 })
      },
      away(`The agent answered: <script>alert(1)</script>${'x'.repeat(475)}`),
    ],
  ])('%s is reported in one sentence', async (_, answer, expected) => {
    agent.answers.set('/metrics', typeof answer === 'string' ? says(answer) : answer)

    expect<unknown>(await sync()).toEqual(expected)
  })

  test.each<[string, Reply]>([
    ['breaks off in the middle', cutBody],
    ['closes the connection', cut],
    ['speaks no HTTP', (_, { outgoing }) => void outgoing.socket?.end('SSH-2.0-OpenSSH_9.9\r\n')],
    [
      'sends headers without end',
      (_, { outgoing }) =>
        void outgoing.socket?.write(`HTTP/1.1 200 OK\r\n${'X: x\r\n'.repeat(1e5)}`),
    ],
  ])('%s is reported in one sentence', async (_, answer) => {
    agent.answers.set('/metrics', answer)

    expect(await sync()).toEqual(broken())
  })

  test('sends an impossible number of sites is reported in one sentence', async () => {
    agent.answers.set('/sites', says(' '.repeat(65 << 20)))

    const text = await sync()

    expect(text).toContain('"message":"The agent sent an answer that is too large"')
  }, 20_000)

  test.each([
    [3600, 'ahead of'],
    [-45, 'behind'],
  ])('has a clock %d seconds off is reported with the seconds', async (seconds, way) => {
    agent.answers.set('/metrics', refusing(seconds))

    const { body } = Object(await sync())

    const number = `(${Math.abs(seconds)}|${Math.abs(seconds) + 1}|${Math.abs(seconds) - 1})`
    const sentence = `^The clock of the server is ${number} seconds ${way} this one: set it$`
    expect(body).toEqual({
      error: 'Agent offline',
      message: expect.stringMatching(new RegExp(sentence)),
    })
  })

  test.each([
    ['__proto__', { domain: '__proto__' }],
    ['a path', { domain: '../../etc/passwd' }],
    ['HTML', { domain: '<b>.example' }],
    ['a line', { domain: 'a\nb.example' }],
    ['a list', { domain: ['shop.example'] }],
    ['a tier that is none', { tier: '__proto__' }],
  ])('finds a site with %s gets none of its sites recorded', async (_, changes) => {
    agent.answers.set('/sites', says(JSON.stringify({ sites: [site, { ...site, ...changes }] })))

    const text = await sync()

    expect(text).toContain('"message":"The agent sent a malformed answer to /sites"')
    expect((await client().get('/api/servers/1/sites')).body).toEqual({ sites: [] })
  })

  test('writes HTML and control characters everywhere gets them recorded as text', async () => {
    const os = '<img src=x onerror=alert(1)>'
    const plain = JSON.stringify({ ...METRICS, os, version: '\u001b[31m\u202e' })
    agent.answers.set('/metrics', says(plain.replace('{', '{"__proto__":{"polluted":true},')))
    const user = '"><script>'
    agent.answers.set(
      '/sites',
      says(JSON.stringify({ sites: [{ ...site, user, docroot: '\u0000' }, site] })),
    )

    const text = await sync()

    expect(text).toContain('event: complete')
    const { body, headers } = await client().get('/api/servers/1')
    expect(body).toMatchObject({ server: { os, version: '\u001b[31m\u202e' } })
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(JSON.stringify(body)).not.toContain('polluted')
  })
})

test('the dashboard answers as before', async () => {
  expect(await sync()).toContain('event: complete')
  expect((await client().get('/api/fleet')).status).toBe(200)
})
