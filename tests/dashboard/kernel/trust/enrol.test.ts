import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { rawKeyOf } from '#agent/kernel/host/public-keys.ts'
import { enrol } from '#dashboard/kernel/trust/enrol.ts'
import type { SigningKey } from '#dashboard/kernel/trust/signing-key.ts'
import type { ReachCode } from '#shared/servers/api/enrolment.ts'
import { type EnrolmentAnswer, EnrolmentRequest } from '#shared/servers/enrolment.ts'
import { cut, cutBody, FakeAgent, type Reply, spaces, streamOf } from '#tests/support/fake-agent.ts'
import { nonce, signer } from '#tests/support/trust/sign.ts'

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

let agent: FakeAgent
beforeEach(async () => {
  agent = await FakeAgent.enrollable()
  await agent.enrolment.open(7, { kid, public_key: key.public_key }, code)
})
afterEach(() => agent.stop())

const candidate = () => ({ server_id: 7, hostname: '127.0.0.1', port: agent.port, code_key })
const asked = (changes: object = {}, timeout_ms?: number) =>
  enrol(key, { ...candidate(), ...changes }, rules, timeout_ms)

/** The good answer of an agent, changed on its way. */
const changed =
  (change: (answer: EnrolmentAnswer) => object, from = () => agent): Reply =>
  async (request) => {
    const answer = await from().enrolment.answer(EnrolmentRequest.parse(await request.json()))
    return Response.json({ ...answer, ...change(answer) })
  }

test('recognises the agent with the code', async () => {
  expect(await asked()).toEqual({
    outcome: 'proved',
    certificate: agent.identity.certificate,
    public_key: agent.identity.public_key,
    nonce: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
  })
  expect(agent.asked).toEqual(['POST /enrol'])
})

test.each<[string, Reply]>([
  ['another key', changed(() => ({ public_key: rawKeyOf(signer().public_key) }))],
  ['another nonce', changed(() => ({ nonce: nonce() }))],
  ['another proof', changed(() => ({ mac: 'A'.repeat(43) }))],
  ['a proof that is too short', changed(() => ({ mac: 'A'.repeat(42) }))],
  ['a certificate that is none', changed(() => ({ certificate: 'none' }))],
  ['a field too many', changed(() => ({ admin: true }))],
  ['nothing', () => new Response('')],
  ['HTML', () => new Response('<html>')],
  ['a list', () => new Response('[]')],
  ['null', () => new Response('null')],
  ['a prototype', () => new Response('{"__proto__":{"mac":"A"}}')],
])('refuses an agent that answers %s', async (_, answer) => {
  agent.answer = answer

  expect(await asked()).toEqual(STRANGER)
})

test('refuses an agent with another code', async () => {
  expect(await asked({ code_key: randomBytes(32) })).toEqual(STRANGER)
})

test('refuses a relayed answer under another certificate', async () => {
  await using middle = await FakeAgent.enrollable()
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

test.each<[string, Reply, string, ReachCode | undefined]>([
  [
    'has no code yet',
    () => Response.json({}, { status: 403 }),
    'The agent runs and waits for its code',
    'waits_for_code',
  ],
  [
    'has the code of another',
    () => Response.json({}, { status: 401 }),
    'The agent there used the command of another server or dashboard',
    undefined,
  ],
  [
    'sends somewhere else',
    () => new Response(null, { status: 307, headers: { location: '/enrol' } }),
    'The program that answers on 127.0.0.1:PORT is not an agent (status 307)',
    undefined,
  ],
  ['ends the connection', cut, BROKEN, undefined],
  ['breaks off', cutBody, BROKEN, undefined],
  ['says too much', () => new Response('x'.repeat(40_000)), BROKEN, undefined],
])('retries later when the agent %s', async (_, answer, message, code) => {
  agent.answer = answer

  const reason = message.replace('PORT', String(agent.port))
  expect(await asked()).toEqual({ outcome: 'away', reason, ...(code && { code }) })
  expect(agent.asked).toEqual(['POST /enrol'])
})

test('does not wait for an answer that never ends', async () => {
  agent.answer = () => new Response(streamOf(spaces()))

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
