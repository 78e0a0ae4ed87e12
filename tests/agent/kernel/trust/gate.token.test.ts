import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkToken, type ExpectedToken, matchesBody } from '#agent/kernel/trust/gate.ts'
import { UsedTokens } from '#agent/kernel/trust/used-tokens.ts'
import { decodeChallenge, encodeChallenge, TOKEN_TYPE } from '#shared/kernel/token.ts'
import {
  EnrolmentAnswer,
  EnrolmentCode,
  EnrolmentRequest,
  HubKey,
} from '#shared/servers/enrolment.ts'
import { forAll } from '#tests/support/for-all.ts'
import { authorization, digestOf, nonce, signer } from '#tests/support/trust/sign.ts'

const NOW = 1_800_000_000
const hub = signer('k1')
const stranger = signer('k1')
const boot = nonce()
const audience = digestOf('agent')

const expected = (changes: Partial<ExpectedToken> = {}): ExpectedToken => ({
  audience,
  boot,
  now: NOW,
  method: 'POST',
  path: '/exec',
  keyOf: (kid) => (kid === 'k1' ? hub.public_key : undefined),
  seen: new UsedTokens(),
  ...changes,
})

const claims = (changes: object = {}) => ({
  iss: 'hub',
  aud: audience,
  iat: NOW,
  exp: NOW + 30,
  jti: nonce(),
  htm: 'POST',
  htu: '/exec',
  bh: digestOf('{}'),
  boot,
  ...changes,
})

test('accepts a signature of the trusted dashboard for this request', () => {
  const verdict = checkToken(authorization(hub, claims({ act: '1' })), expected())

  expect(verdict).toMatchObject({ claims: { act: '1', htu: '/exec' } })
})

test.each([
  ['for another agent', { aud: digestOf('other') }, 'other'],
  ['with another method', { htm: 'GET' }, 'other'],
  ['with another path', { htu: '/exec?x' }, 'other'],
  ['of the process before', { boot: nonce() }, 'boot'],
  ['of 61 seconds ago', { iat: NOW - 61, exp: NOW - 31 }, 'clock'],
  ['of 31 seconds ahead', { iat: NOW + 31, exp: NOW + 61 }, 'clock'],
  ['that would live longer', { exp: NOW + 31 }, 'clock'],
  ['that ends before it begins', { exp: NOW - 1 }, 'clock'],
  ['with a claim too many', { admin: true }, 'unsigned'],
  ['with a short id', { jti: 'x' }, 'unsigned'],
])('refuses a token %s', (_, changes, refused) => {
  expect(checkToken(authorization(hub, claims(changes)), expected())).toEqual({
    refused: refused as 'other',
  })
})

test.each([-30, 30])('tolerates a clock that is %d seconds off', (seconds) => {
  const verdict = checkToken(authorization(hub, claims()), expected({ now: NOW + seconds }))

  expect(verdict).toHaveProperty('claims')
})

test.each([
  ['nothing', null],
  ['another scheme', 'Bearer abc'],
  ['a token of somebody else with the same key id', authorization(stranger, claims())],
  ['an unknown key id', authorization(hub, claims(), { alg: 'EdDSA', kid: 'k2', typ: TOKEN_TYPE })],
  ['no algorithm', authorization(hub, claims(), { alg: 'none', kid: 'k1', typ: TOKEN_TYPE })],
  ['another algorithm', authorization(hub, claims(), { alg: 'HS256', kid: 'k1', typ: TOKEN_TYPE })],
  ['another type', authorization(hub, claims(), { alg: 'EdDSA', kid: 'k1', typ: 'JWT' })],
  [
    'a key in the header',
    authorization(hub, claims(), { alg: 'EdDSA', kid: 'k1', typ: TOKEN_TYPE, jwk: {} }),
  ],
  [
    'a prototype as key id',
    authorization(hub, claims(), { alg: 'EdDSA', kid: '__proto__', typ: TOKEN_TYPE }),
  ],
  ['a fourth part', `${authorization(hub, claims())}.x`],
  ['a header over 4 KiB', authorization(hub, claims({ iss: 'x'.repeat(4000) }))],
])('refuses %s', (_, header) => {
  expect(checkToken(header, expected())).toEqual({ refused: 'unsigned' })
})

test('accepts each token only once', () => {
  const all = expected()
  const header = authorization(hub, claims())

  const verdicts = Array.from({ length: 1000 }, () => checkToken(header, all))

  expect(verdicts.filter((verdict) => 'claims' in verdict)).toHaveLength(1)
})

test('refuses tokens instead of forgetting used ones when too many are remembered', () => {
  const seen = new UsedTokens(2)
  const first = (id: string, now = NOW) => seen.first(id, now + 60, now)

  expect([first('a'), first('b'), first('c'), first('a'), first('d', NOW + 61)]).toEqual([
    true,
    true,
    false,
    false,
    true,
  ])
})

test('verifies the signed body', () => {
  const verdict = checkToken(authorization(hub, claims()), expected())
  if (!('claims' in verdict)) throw new Error('refused')

  expect(matchesBody(verdict.claims, Buffer.from('{}'))).toBe(true)
  expect(matchesBody(verdict.claims, Buffer.from('{ }'))).toBe(false)
})

test('refuses every change of a single character, and never throws', () => {
  const header = authorization(hub, claims())

  forAll(fc.nat(header.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, to) => {
    const changed = header.slice(0, at) + to + header.slice(at + 1)
    // The last character of base64url carries bits that no byte has.
    if (changed === header || at === header.length - 1) return
    expect(checkToken(changed, expected())).toEqual({ refused: 'unsigned' })
  })
  forAll(fc.string(), (text) => {
    expect(checkToken(`Hosting ${text}`, expected())).toEqual({ refused: 'unsigned' })
  })
})

const check = (header: string) => checkToken(header, expected())

const names = [...Object.keys(claims()), 'op', 'act', '__proto__', 'constructor', 'admin']
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.integer({ min: NOW - 200, max: NOW + 200 }),
  fc.constantFrom(audience, boot, 'POST', '/exec', NOW, NOW + 30),
)

test('accepts only signatures for this request and this time', () => {
  const changes = fc.array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 3 })

  forAll(changes, (list) => {
    const changed = Object.fromEntries([...Object.entries(claims()), ...list])
    const verdict = check(authorization(hub, changed))
    if (!('claims' in verdict)) return
    const { iat, exp, ...rest } = verdict.claims
    expect(rest).toMatchObject({ aud: audience, boot, htm: 'POST', htu: '/exec' })
    expect(exp - iat).toBeLessThanOrEqual(30)
    expect([iat <= NOW + 30, exp >= NOW - 30, exp >= iat]).toEqual([true, true, true])
    expect(Object.keys(rest).every((name) => names.slice(0, 11).includes(name))).toBe(true)
  })
})

test('accepts only its own header, whoever signed', () => {
  const header = fc.record(
    {
      alg: fc.oneof(fc.constant('EdDSA'), values),
      kid: fc.oneof(fc.constant('k1'), values),
      typ: fc.oneof(fc.constant(TOKEN_TYPE), values),
    },
    { requiredKeys: [] },
  )

  forAll(header, (head) => {
    const own = head.alg === 'EdDSA' && head.kid === 'k1' && head.typ === TOKEN_TYPE
    const verdict = check(authorization(hub, claims(), head))
    expect('claims' in verdict).toBe(own)
  })
})

test('reads a challenge exactly, and nothing else as one', () => {
  const noise = fc.oneof(fc.constantFrom('', ' ', ',', '"', '0', '-'), fc.string({ maxLength: 3 }))
  const text = fc
    .tuple(noise, noise, noise, noise)
    .map(([a, b, c, d]) => `${a}Hosting boot="${boot}${b}", date="${NOW}${c}"${d}`)

  forAll(text, (header) => {
    const decoded = decodeChallenge(header)
    if (decoded) expect(header).toBe(encodeChallenge(decoded.boot, decoded.date))
  })
  expect(decodeChallenge(encodeChallenge(boot, NOW))).toEqual({ boot, date: NOW })
})

test('accepts enrolments only with the exact lengths of keys and codes', () => {
  const near = fc.stringMatching(/^[A-Za-z0-9_-]{20,24}$|^[A-Za-z0-9_-]{42,44}$/)
  const text = fc.oneof(
    near,
    fc.string(),
    near.map((each) => `ed25519:k1:${each}`),
  )

  forAll(text, fc.jsonValue(), (typed, json) => {
    if (EnrolmentCode.safeParse(typed).success) expect(typed).toMatch(/^[\w-]{22}$/)
    const { data } = HubKey.safeParse(typed)
    if (data) expect(typed).toBe(`ed25519:${data.kid}:${data.public_key}`)
    expect(EnrolmentRequest.safeParse(json).success).toBe(false)
    expect(EnrolmentAnswer.safeParse(json).success).toBe(false)
  })
})
