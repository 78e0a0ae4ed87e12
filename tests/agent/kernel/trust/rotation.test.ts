import { beforeEach, expect, test } from 'bun:test'
import { createApp } from '#agent/app.ts'
import { rawKeyOf } from '#agent/kernel/host/public-keys.ts'
import { signedGate } from '#agent/kernel/trust/gate.ts'
import { rotationOf } from '#agent/kernel/trust/rotation.ts'
import { TrustedDashboard } from '#agent/kernel/trust/trusted-dashboard.ts'
import { UsedTokens } from '#agent/kernel/trust/used-tokens.ts'
import { readings } from '#agent/readings.ts'
import { readingDeps } from '#tests/support/agent/readings.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'
import { authorization, digestOf, nonce, type Signer, signer } from '#tests/support/trust/sign.ts'

const NOW = 1_800_000_000
const STATE = '/var/lib/hosting-agent'
const DAY = 24 * 3600
const boot = nonce()
const audience = digestOf('agent')
const [old, young, stranger] = [signer('k1'), signer('k2'), signer('k3')]

let host: FakeHost
let trust: TrustedDashboard
let app: ReturnType<typeof createApp>
let now = NOW
beforeEach(async () => {
  now = NOW
  host = fakeHost()
  trust = new TrustedDashboard(host.files, STATE)
  await trust.write({ server_id: 7, epoch: 1, keys: [key(old, null)] })
  const seconds = () => now
  const seen = new UsedTokens()
  const admitted = async () => undefined
  app = createApp({
    gate: signedGate({ trust, audience, boot, seen, now: seconds, admitted }),
    rotation: rotationOf({ trust, now: seconds, exclusive: host.exclusive }),
    enrolment: undefined,
    runner: {} as never,
    readings,
    ...readingDeps(host),
    policy: {} as never,
    report: () => undefined,
  })
})

const key = ({ kid, public_key }: Signer, until: number | null) => ({
  kid,
  public_key: rawKeyOf(public_key),
  until,
})
const both = { epoch: 2, keys: [key(young, null), key(old, NOW + DAY)] }

async function ask(by: Signer, body?: object) {
  const text = body ? JSON.stringify(body) : ''
  const method = body ? 'POST' : 'GET'
  const claims = { iss: by.kid, aud: audience, iat: now, exp: now + 30, jti: nonce(), boot }
  const signed = { ...claims, htm: method, htu: '/keys', bh: digestOf(text) }
  const response = await app.request('/keys', {
    method,
    headers: { authorization: authorization(by, signed), 'content-type': 'application/json' },
    ...(body ? { body: text } : {}),
  })
  return { status: response.status, body: (await response.json()) as unknown }
}

test('accepts a new key and keeps the old one until it expires', async () => {
  expect(await ask(old, both)).toEqual({ status: 200, body: { epoch: 2, keys: ['k2', 'k1'] } })
  expect((await ask(old)).status).toBe(200)
  expect((await ask(young)).status).toBe(200)

  now += DAY

  expect((await ask(old)).status).toBe(401)
  expect(await ask(young)).toEqual({ status: 200, body: { epoch: 2, keys: ['k2'] } })
})

test.each([0, 1])('refuses epoch %d after epoch 1', async (epoch) => {
  const { status, body } = await ask(old, { ...both, epoch })

  expect([status, body]).toEqual([
    409,
    { error: 'Conflict', message: 'The keys have epoch 1 already' },
  ])
  expect((await trust.read())?.keys).toEqual([key(old, null)])
})

test('accepts the first of two lists with the same epoch', async () => {
  const answers = await Promise.all([ask(old, both), ask(old, both)])

  expect(answers.map(({ status }) => status)).toEqual([200, 409])
})

test('only the dashboard can replace a key', async () => {
  expect(await ask(stranger, both)).toEqual({ status: 401, body: { error: 'Unauthorized' } })
  expect(await ask(young, both)).toEqual({ status: 401, body: { error: 'Unauthorized' } })
})

test.each([
  ['no key', { epoch: 2, keys: [] }],
  ['five keys', { epoch: 2, keys: ['a', 'b', 'c', 'd', 'e'].map((k) => key(signer(k), null)) }],
  ['the same key twice', { epoch: 2, keys: [key(young, null), key(young, null)] }],
  ['only keys of the past', { epoch: 2, keys: [key(young, NOW - 1)] }],
  ['a key that is none', { epoch: 2, keys: [{ kid: 'k2', public_key: 'x', until: null }] }],
  ['a field too many', { ...both, server_id: 8 }],
])('refuses %s, and keeps its keys', async (_, list) => {
  expect((await ask(old, list)).status).toBe(422)
  expect(await ask(old)).toEqual({ status: 200, body: { epoch: 1, keys: ['k1'] } })
})
