import { beforeEach, expect, test } from 'bun:test'
import { createHmac, randomBytes, sign, X509Certificate } from 'node:crypto'
import { rawKeyOf, sha256 } from '#agent/kernel/host/public-keys.ts'
import { Enrolment } from '#agent/kernel/trust/enrolment.ts'
import { type Identity, loadIdentity } from '#agent/kernel/trust/identity.ts'
import { TrustedDashboard } from '#agent/kernel/trust/trusted-dashboard.ts'
import {
  enrolmentConfirmationText,
  enrolmentProofText,
  enrolmentRequestText,
} from '#shared/servers/enrolment.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'
import { nonce, type Signer, signer } from '#tests/support/trust/sign.ts'

const STATE = '/var/lib/hosting-agent'
const code = randomBytes(16).toString('base64url')
const hub = signer('h1')
const hubKey = { kid: 'h1', public_key: rawKeyOf(hub.public_key) }

let host: FakeHost
let identity: Identity
let trust: TrustedDashboard
let enrolment: Enrolment
beforeEach(async () => {
  host = fakeHost()
  identity = await loadIdentity(host.files, STATE, Date.now())
  trust = new TrustedDashboard(host.files, STATE)
  const now = () => host.time / 1000
  enrolment = new Enrolment({ files: host.files, state_dir: STATE, identity, trust, now })
})

function request(by: Signer = hub, server_id = 7) {
  const request_nonce = nonce()
  const text = Buffer.from(enrolmentRequestText(server_id, request_nonce))
  const signature = sign(null, text, by.private_key).toString('base64url')
  return { kid: by.kid, server_id, nonce: request_nonce, signature }
}

test('proves the certificate and the key with the code, and trusts the dashboard then', async () => {
  await enrolment.open(7, hubKey, code)
  const asked = request()

  const answer = await enrolment.answer(asked)

  const text = enrolmentProofText({
    server_id: 7,
    request_nonce: asked.nonce,
    answer_nonce: answer.nonce,
    certificate_sha256: sha256(new X509Certificate(answer.certificate).raw),
    agent_key: identity.public_key,
    hub_key: hubKey.public_key,
  })
  const key = Buffer.from(sha256(`hosting-code/1\n${code}`), 'base64url')
  expect(answer.mac).toBe(createHmac('sha256', key).update(text).digest('base64url'))
  expect(await trust.read()).toEqual({ server_id: 7, epoch: 1, keys: [{ ...hubKey, until: null }] })
})

test('answers no one while no enrolment is open', async () => {
  await expect(enrolment.answer(request())).rejects.toThrow('No enrolment is open')
  expect(await trust.read()).toBeUndefined()
})

test.each([
  ['another dashboard with the same key id', () => request(signer('h1'))],
  ['another key id', () => request(signer('h2'))],
  ['another server', () => request(hub, 8)],
])('does not answer %s', async (_, asked) => {
  await enrolment.open(7, hubKey, code)

  await expect(enrolment.answer(asked())).rejects.toMatchObject({ code: 'unauthorized' })
  expect(await trust.read()).toBeUndefined()
})

test('closes after 15 minutes', async () => {
  await enrolment.open(7, hubKey, code)
  host.time += 15 * 60_000

  await expect(enrolment.answer(request())).rejects.toThrow('No enrolment is open')
})

test('answers again until the first signed request of the dashboard, and then never', async () => {
  await enrolment.open(7, hubKey, code)
  await enrolment.answer(request())
  await enrolment.answer(request())

  await enrolment.close()

  await expect(enrolment.answer(request())).rejects.toThrow('No enrolment is open')
  expect((await trust.read())?.epoch).toBe(1)
})

test('stays open for an already trusted dashboard until its first request', async () => {
  await enrolment.open(7, hubKey, code)

  await enrolment.close()

  expect((await enrolment.answer(request())).public_key).toBe(identity.public_key)
})

function confirmation(confirms: string, by: Signer = hub, server_id = 7) {
  const text = Buffer.from(enrolmentConfirmationText(server_id, confirms))
  const signature = sign(null, text, by.private_key).toString('base64url')
  return { kid: by.kid, server_id, confirms, signature }
}

test('closes when the dashboard confirms the last answer', async () => {
  await enrolment.open(7, hubKey, code)
  const { nonce: answered } = await enrolment.answer(request())

  await enrolment.confirm(confirmation(answered))

  expect(await enrolment.pending()).toBeUndefined()
})

test.each<[string, (answered: string) => ReturnType<typeof confirmation>]>([
  ['another answer', () => confirmation(nonce())],
  ['another dashboard', (answered) => confirmation(answered, signer('h1'))],
  ['another server', (answered) => confirmation(answered, hub, 8)],
])('is not closed by a confirmation of %s', async (_, confirms) => {
  await enrolment.open(7, hubKey, code)
  const { nonce: answered } = await enrolment.answer(request())

  const confirmed = enrolment.confirm(confirms(answered))

  await expect(confirmed).rejects.toMatchObject({ code: 'unauthorized' })
  expect(await enrolment.pending()).toMatchObject({ answers: 1 })
})

test('is not closed by requests of a previously trusted dashboard', async () => {
  await enrolment.open(7, hubKey, code)
  await enrolment.confirm(confirmation((await enrolment.answer(request())).nonce))
  await enrolment.open(7, hubKey, randomBytes(16).toString('base64url'))
  await enrolment.answer(request())

  await enrolment.close()
  expect(await enrolment.pending()).toMatchObject({ answers: 1, trusted: true })

  host.time += 30_000
  await enrolment.close()
  expect(await enrolment.pending()).toBeUndefined()
})

test('keeps its identity, readable by root alone, and never the code', async () => {
  await enrolment.open(7, hubKey, code)
  const again = await loadIdentity(host.files, STATE, Date.now())

  expect(again).toEqual(identity)
  const modes = [...host.disk.walk()].map(([path, { options }]) => [path, options.mode])
  expect(modes).toContainEqual([`${STATE}/trust/identity.json`, 0o600])
  expect(JSON.stringify(host.disk.all)).not.toContain(code)
})
