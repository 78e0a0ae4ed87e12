import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rawKeyOf } from '#agent/kernel/host/public-keys.ts'
import { checkToken, matchesBody } from '#agent/kernel/trust/gate.ts'
import { UsedTokens } from '#agent/kernel/trust/used-tokens.ts'
import {
  audienceOf,
  type SignedCall,
  signRequest,
} from '#dashboard/kernel/trust/pinned-transport.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { runs } from '#tests/support/runs.ts'
import { digestOf, nonce, signer } from '#tests/support/trust/sign.ts'

const NOW = 1_800_000_000
const { kid, public_key, private_key } = signer('h1')
const key = { kid, public_key: rawKeyOf(public_key), private_key }
const audience = audienceOf('agent')
const boot = nonce()

/** What the agent makes of the header, when the request is the one that was signed. */
const check = (header: string, { method, path }: Pick<SignedCall, 'method' | 'path'>) =>
  checkToken(header, {
    ...{ audience, boot, now: NOW, method, path, seen: new UsedTokens() },
    keyOf: (id) => (id === kid ? public_key : undefined),
  })

test('is accepted by an agent for any request', () => {
  const call = fc.record({
    method: fc.constantFrom('GET', 'POST'),
    path: fc.string({ maxLength: 500 }).map((text) => `/${encodeURIComponent(text)}`),
    body: fc.string({ unit: anyCharacter }),
    operation_id: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  })

  fc.assert(
    fc.property(call, (asked) => {
      const id = nonce()
      const header = signRequest(key, { ...asked, audience, boot, now: NOW, id })
      const verdict = check(header, asked)
      expect(verdict).toEqual({
        claims: {
          ...{ iss: kid, aud: audience, iat: NOW, exp: NOW + 30, jti: id, boot },
          ...{ htm: asked.method, htu: asked.path, bh: digestOf(asked.body) },
          op: asked.operation_id,
        },
      })
      if (!('claims' in verdict)) return
      expect(matchesBody(verdict.claims, Buffer.from(asked.body))).toBe(true)
      expect(matchesBody(verdict.claims, Buffer.from(`${asked.body} `))).toBe(false)
    }),
    runs(),
  )
})

test('is for one agent alone', () => {
  const call = { method: 'GET', path: '/sites', body: '', audience: audienceOf('other') }
  const header = signRequest(key, { ...call, boot, now: NOW, id: nonce() })

  expect(check(header, call)).toEqual({ refused: 'other' })
})

test('is for one process of it alone', () => {
  const call = { method: 'GET', path: '/sites', body: '', audience }
  const header = signRequest(key, { ...call, boot: nonce(), now: NOW, id: nonce() })

  expect(check(header, call)).toEqual({ refused: 'boot' })
})
