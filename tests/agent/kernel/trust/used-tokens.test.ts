import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkToken } from '#agent/kernel/trust/gate.ts'
import { UsedTokens } from '#agent/kernel/trust/used-tokens.ts'
import { forAll } from '#tests/support/for-all.ts'
import { authorization, digestOf, nonce, signer } from '#tests/support/trust/sign.ts'

const NOW = 1_800_000_000
const hub = signer('k1')
const boot = nonce()
const audience = digestOf('agent')

test('accepts a token once during its validity, including the last second', () => {
  const claims = { iss: 'hub', aud: audience, iat: NOW, exp: NOW + 30, htm: 'GET', htu: '/sites' }
  const token = () => authorization(hub, { ...claims, jti: nonce(), bh: digestOf(''), boot })
  const seen = new UsedTokens()
  const expected = { audience, boot, method: 'GET', path: '/sites', keyOf: () => hub.public_key }
  const timesAccepted = (now: number) => {
    const header = token()
    const verdicts = [1, 2, 3].map(() => checkToken(header, { ...expected, now, seen }))
    return verdicts.filter((verdict) => 'claims' in verdict).length
  }

  const times = Array.from({ length: 93 }, (_, second) => timesAccepted(NOW - 31 + second))

  expect(times).toEqual([0, ...Array(91).fill(1), 0])
})

test('accepts each valid id once, for any order of ids and times', () => {
  const uses = fc.array(fc.record({ id: fc.nat(3), life: fc.nat(3), pass: fc.nat(2) }), {
    maxLength: 40,
  })

  forAll(uses, (list) => {
    const seen = new UsedTokens()
    const until = new Map<number, number>()
    let now = NOW
    for (const { id, life, pass } of list) {
      now += pass
      const end = until.get(id)
      const answer = seen.first(String(id), now + life, now)
      if (end !== undefined && end >= now) expect(answer).toBe(false)
      if (end === undefined) expect(answer).toBe(true)
      if (answer) until.set(id, now + life)
    }
  })
})
