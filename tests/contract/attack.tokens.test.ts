// tier: core
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TOKEN_TYPE } from '#shared/kernel/token.ts'
import { type Asked, SignedAgent } from '#tests/support/attack.ts'
import { sweep } from '#tests/support/processes.ts'
import { unauthorized } from '#tests/support/rows.ts'
import { authorization, digestOf, nonce, signer } from '#tests/support/trust/sign.ts'

let agent: SignedAgent
beforeAll(async () => {
  agent = await SignedAgent.start()
}, 60_000)
afterAll(sweep)

const read: Asked = { path: '/metrics' }
const scan: Asked = { method: 'POST', path: '/sites/wp-scan', body: '{"domain":"nobody.example"}' }
const named = (id: string): Asked => ({ ...scan, headers: { 'operation-id': id } })
const seconds = () => Math.floor(Date.now() / 1000)

/** The answer to every refused token, whatever the reason. */
async function refused(asked: Asked, proof?: string) {
  const { status, headers, body } = await agent.send(asked, proof)
  for (const name of ['date', 'connection', 'keep-alive', 'x-request-id']) headers.delete(name)
  expect({ status, body, headers: headers.toJSON() }).toEqual({
    status: 401,
    body: unauthorized,
    headers: {
      'cache-control': 'no-store',
      'content-length': '24',
      'content-type': 'application/json;charset=utf-8',
      'x-content-type-options': 'nosniff',
    },
  })
}

test('a request of the trusted dashboard is executed', async () => {
  expect((await agent.ask(read)).status).toBe(200)
  expect((await agent.ask(scan)).body).toEqual({
    error: 'Not found',
    message: 'Site nobody.example not found',
  })
})

describe('without a signature', () => {
  // contract/agent.health has every path, in every spelling.
  test.each(['/metrics', '/sites/wp-scan', '/enrol', '/nowhere'])(
    '%s is refused like every wrong signature',
    async (path) => refused({ path }),
  )

  test('nobody is enrolled while no enrolment is open', async () => {
    const key = { kid: 'h1', server_id: 7, nonce: nonce(), signature: 'A'.repeat(86) }

    const { status, body } = await agent.send({
      ...{ method: 'POST', path: '/enrol', body: JSON.stringify(key) },
    })

    expect({ status, body }).toEqual({
      status: 403,
      body: {
        error: 'Forbidden',
        message: 'No enrolment is open: run hosting-agent enrol',
      },
    })
  })
})

describe('with a signature', () => {
  test.each<[string, Asked, Asked]>([
    ['of another body', scan, { ...scan, body: '{"domain":"other.example"}' }],
    ['of no body', scan, { ...scan, body: '' }],
    ['of a body that means the same', scan, { ...scan, body: '{ "domain":"nobody.example"}' }],
    ['of another path', read, { path: '/sites' }],
    ['of another query', read, { path: '/metrics?x=1' }],
    ['of another spelling of the path', read, { path: '/%6detrics' }],
    ['of another operation', named('a'), named('b')],
    ['of an operation', named('a'), scan],
    ['of no operation', scan, named('b')],
    ['of another method', { ...scan, method: 'GET', path: '/sites' }, scan],
  ])('%s the request is refused', async (_, signed, sent) => {
    await refused(sent, agent.sign(signed))
  })

  test.each<[string, () => Partial<Asked>]>([
    ['for another agent', () => ({ claims: { aud: digestOf('another agent') } })],
    ['of somebody else', () => ({ by: signer('h1') })],
    ['of a key that nobody trusts', () => ({ by: signer('h2') })],
    ['with a key id that is a prototype', () => ({ by: { ...agent.hub, kid: '__proto__' } })],
    ['with a key id that is a method', () => ({ by: { ...agent.hub, kid: 'constructor' } })],
    ['with a claim too many', () => ({ claims: { admin: true } })],
    ['with a claim too few', () => ({ claims: { bh: undefined } })],
    ['with a short id', () => ({ claims: { jti: 'x' } })],
    ['with a time that is none', () => ({ claims: { iat: 'now' } })],
    ['with no end', () => ({ claims: { exp: Number.MAX_SAFE_INTEGER + 1 } })],
  ])('%s the request is refused', async (_, changes) => {
    await refused(read, agent.sign({ ...read, ...changes() }))
  })

  test.each<[string, (good: string) => string]>([
    ['under another scheme', (good) => good.replace('Hosting', 'Bearer')],
    ['without its signature', (good) => good.replace(/\.[^.]*$/, '')],
    ['with an empty signature', (good) => good.replace(/[^.]*$/, '')],
    ['with a fourth part', (good) => `${good}.x`],
    ['given twice', (good) => `${good}, ${good}`],
    ['of 100 KiB', (good) => `${good}${'A'.repeat(8000)}`],
    ['of other characters', () => 'Hosting é.é.é'],
  ])('%s the request is refused', async (_, change) => {
    await refused(read, change(agent.sign(read)))
  })

  test.each(['none', 'HS256', 'ES256', 'eddsa', '', null])(
    'of algorithm %p the request is refused',
    async (alg) => {
      const iat = seconds()
      const times = { iat, exp: iat + 30, jti: nonce(), boot: agent.boot }
      const about = { iss: 'h1', aud: agent.audience, htm: 'GET', htu: '/metrics' }
      const claims = { ...times, ...about, bh: digestOf('') }
      const header = { alg, kid: 'h1', typ: TOKEN_TYPE }

      await refused(read, authorization(agent.hub, claims, header))
    },
  )

  test.each<[string, () => object]>([
    ['of the process before', () => ({ boot: nonce() })],
    ['of 62 seconds ago', () => ({ iat: seconds() - 62, exp: seconds() - 32 })],
    ['of 32 seconds ahead', () => ({ iat: seconds() + 32, exp: seconds() + 62 })],
    ['that is good for longer', () => ({ exp: seconds() + 3600 })],
  ])('%s the request is refused with the nonce and the time', async (_, claims) => {
    const { status, body, headers } = await agent.ask({ ...read, claims: claims() })

    expect({ status, body }).toEqual({ status: 401, body: unauthorized })
    expect(headers.get('www-authenticate')).toMatch(
      new RegExp(`^Hosting boot="${agent.boot}", date="\\d+"$`),
    )
  })
})
