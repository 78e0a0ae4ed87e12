import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { rawKeyOf } from '#agent/host/public-keys.ts'
import { enrol } from '#dashboard/trust/enrol.ts'
import type { SigningKey } from '#dashboard/trust/signing-key.ts'
import type { ReachCode } from '#shared/api/enrolment.ts'
import type { EnrolmentAnswer } from '#shared/enrolment.ts'
import { nonce, signer } from '#tests/support/trust/sign.ts'
import { type Answer, TlsAgent } from '#tests/support/trust/tls-agent.ts'

const rules = { production: false, allow_private: true }
const { kid, public_key, private_key } = signer('h1')
const key: SigningKey = { kid, public_key: rawKeyOf(public_key), private_key }
const code = randomBytes(16).toString('base64url')
const code_key = createHash('sha256').update(`hosting-code/1\n${code}`).digest()

const STRANGER = {
  outcome: 'failed',
  reason:
    'The server does not know the code: it was mistyped, or another machine intercepts the connection',
} as const
const BROKEN = 'The agent on 127.0.0.1:PORT broke the connection'

let agent: TlsAgent
beforeEach(async () => {
  agent = await TlsAgent.start()
  await agent.enrolment.open(7, { kid, public_key: key.public_key }, code)
})
afterEach(() => agent.stop())

const candidate = () => ({ server_id: 7, hostname: '127.0.0.1', port: agent.port, code_key })
const asked = (changes: object = {}, timeout_ms?: number) =>
  enrol(key, { ...candidate(), ...changes }, rules, timeout_ms)

/** The good answer of an agent, changed on its way. */
const changed =
  (change: (answer: EnrolmentAnswer) => object, from = () => agent): Answer =>
  async (_, response, body) => {
    const answer = await from().enrolment.answer(JSON.parse(body))
    response.end(JSON.stringify({ ...answer, ...change(answer) }))
  }

test('recognises the agent with the code', async () => {
  agent.answer = agent.proving

  expect(await asked()).toEqual({
    outcome: 'proved',
    certificate: agent.identity.certificate,
    public_key: agent.identity.public_key,
    nonce: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
  })
  expect(agent.asked).toEqual(['POST /enrol'])
})

test.each<[string, Answer]>([
  ['another key', changed(() => ({ public_key: rawKeyOf(signer().public_key) }))],
  ['another nonce', changed(() => ({ nonce: nonce() }))],
  ['another proof', changed(() => ({ mac: 'A'.repeat(43) }))],
  ['a proof that is too short', changed(() => ({ mac: 'A'.repeat(42) }))],
  ['a certificate that is none', changed(() => ({ certificate: 'none' }))],
  ['a field too many', changed(() => ({ admin: true }))],
  ['nothing', (_, response) => response.end()],
  ['HTML', (_, response) => response.end('<html>')],
  ['a list', (_, response) => response.end('[]')],
  ['null', (_, response) => response.end('null')],
  ['a prototype', (_, response) => response.end('{"__proto__":{"mac":"A"}}')],
])('refuses an agent that answers %s', async (_, answer) => {
  agent.answer = answer

  expect(await asked()).toEqual(STRANGER)
})

test('refuses an agent with another code', async () => {
  agent.answer = agent.proving

  expect(await asked({ code_key: randomBytes(32) })).toEqual(STRANGER)
})

test('refuses a relayed answer under another certificate', async () => {
  await using middle = await TlsAgent.start()
  middle.answer = changed(
    () => ({}),
    () => agent,
  )
  const outcome = await asked({ port: middle.port })
  middle.answer = changed(
    () => ({ certificate: middle.identity.certificate }),
    () => agent,
  )

  expect([outcome, await asked({ port: middle.port })]).toEqual([STRANGER, STRANGER])
})

test.each<[string, Answer, string, ReachCode | undefined]>([
  [
    'has no code yet',
    (_, response) => response.writeHead(403).end('{}'),
    'The agent runs and waits for its code',
    'waits_for_code',
  ],
  [
    'has the code of another',
    (_, response) => response.writeHead(401).end('{}'),
    'The agent there used the command of another server or dashboard',
    undefined,
  ],
  [
    'sends somewhere else',
    (_, response) => response.writeHead(307, { location: '/enrol' }).end(),
    'The program that answers on 127.0.0.1:PORT is not an agent (status 307)',
    undefined,
  ],
  ['ends the connection', (_, response) => response.destroy(), BROKEN, undefined],
  [
    'breaks off',
    (_, response) => response.writeHead(200, { 'content-length': 9 }).destroy(),
    BROKEN,
    undefined,
  ],
  ['says too much', (_, response) => response.end('x'.repeat(40_000)), BROKEN, undefined],
])('retries later when the agent %s', async (_, answer, message, code) => {
  agent.answer = answer

  const reason = message.replace('PORT', String(agent.port))
  expect(await asked()).toEqual({ outcome: 'away', reason, ...(code && { code }) })
  expect(agent.asked).toEqual(['POST /enrol'])
})

test('does not wait for an answer that never ends', async () => {
  agent.answer = (_, response) => {
    const more = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(more))
  }

  expect(await asked({}, 200)).toEqual({
    outcome: 'away',
    reason: `The agent on 127.0.0.1:${agent.port} did not answer in time`,
    code: 'timed_out',
  })
})

test('reports offline without contact if the address is refused', async () => {
  const strict = { production: true, allow_private: true }
  const names = ['127.0.0.1', '::ffff:7f00:1', 'localhost']

  const outcomes = await Promise.all(
    names.map((hostname) => enrol(key, { ...candidate(), hostname }, strict)),
  )

  const reason =
    'The server is not contacted: 127.0.0.1 is an address of this machine, its provider or a reserved range'
  expect(outcomes[0]).toEqual({ outcome: 'away', reason })
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['away', 'away', 'away'])
  expect(agent.asked).toEqual([])
})
