import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { SeenTokens } from '#agent/trust/seen.ts'
import { checkToken } from '#agent/trust/token.ts'
import { EnrolmentAnswer, EnrolmentCode, EnrolmentRequest, HubKey } from '#shared/enrolment.ts'
import { decodeChallenge, encodeChallenge, TOKEN_TYPE } from '#shared/token.ts'
import { runs } from '#tests/support/runs.ts'
import { authorization, digestOf, nonce, signer } from '#tests/support/trust/sign.ts'

const NOW = 1_800_000_000
const hub = signer('k1')
const boot = nonce()
const audience = digestOf('agent')
const good = () => ({
  ...{ iss: 'hub', aud: audience, iat: NOW, exp: NOW + 30, jti: nonce(), htm: 'GET' },
  ...{ htu: '/sites', bh: digestOf(''), boot },
})
const check = (header: string) =>
  checkToken(header, {
    ...{ audience, boot, now: NOW, method: 'GET', path: '/sites', seen: new SeenTokens() },
    keyOf: (kid) => (kid === 'k1' ? hub.public_key : undefined),
  })

const names = [...Object.keys(good()), 'op', 'act', '__proto__', 'constructor', 'admin']
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.integer({ min: NOW - 200, max: NOW + 200 }),
  fc.constantFrom(audience, boot, 'GET', '/sites', NOW, NOW + 30),
)

test('accepts only signatures for this request and this time', () => {
  const changes = fc.array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 3 })

  fc.assert(
    fc.property(changes, (list) => {
      const claims = Object.fromEntries([...Object.entries(good()), ...list])
      const verdict = check(authorization(hub, claims))
      if (!('claims' in verdict)) return
      const { iat, exp, ...rest } = verdict.claims
      expect(rest).toMatchObject({ aud: audience, boot, htm: 'GET', htu: '/sites' })
      expect(exp - iat).toBeLessThanOrEqual(30)
      expect([iat <= NOW + 30, exp >= NOW - 30, exp >= iat]).toEqual([true, true, true])
      expect(Object.keys(rest).every((name) => names.slice(0, 11).includes(name))).toBe(true)
    }),
    runs(),
  )
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

  fc.assert(
    fc.property(header, (head) => {
      const own = head.alg === 'EdDSA' && head.kid === 'k1' && head.typ === TOKEN_TYPE
      const verdict = check(authorization(hub, good(), head))
      expect('claims' in verdict).toBe(own)
    }),
    runs(),
  )
})

test('reads a challenge exactly, and nothing else as one', () => {
  const noise = fc.oneof(fc.constantFrom('', ' ', ',', '"', '0', '-'), fc.string({ maxLength: 3 }))
  const text = fc
    .tuple(noise, noise, noise, noise)
    .map(([a, b, c, d]) => `${a}Hosting boot="${boot}${b}", date="${NOW}${c}"${d}`)

  fc.assert(
    fc.property(text, (header) => {
      const decoded = decodeChallenge(header)
      if (decoded) expect(header).toBe(encodeChallenge(decoded.boot, decoded.date))
    }),
    runs(),
  )
  expect(decodeChallenge(encodeChallenge(boot, NOW))).toEqual({ boot, date: NOW })
})

test('accepts enrolments only with the exact lengths of keys and codes', () => {
  const near = fc.stringMatching(/^[A-Za-z0-9_-]{20,24}$|^[A-Za-z0-9_-]{42,44}$/)
  const text = fc.oneof(
    near,
    fc.string(),
    near.map((each) => `ed25519:k1:${each}`),
  )

  fc.assert(
    fc.property(text, fc.jsonValue(), (typed, json) => {
      if (EnrolmentCode.safeParse(typed).success) expect(typed).toMatch(/^[\w-]{22}$/)
      const { data } = HubKey.safeParse(typed)
      if (data) expect(typed).toBe(`ed25519:${data.kid}:${data.public_key}`)
      expect(EnrolmentRequest.safeParse(json).success).toBe(false)
      expect(EnrolmentAnswer.safeParse(json).success).toBe(false)
    }),
    runs(),
  )
})
