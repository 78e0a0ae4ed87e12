// tier: core
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Asked, SignedAgent } from '#tests/support/attack.ts'
import { sweep } from '#tests/support/processes.ts'
import { unauthorized } from '#tests/support/rows.ts'
import { digestOf, nonce, signer } from '#tests/support/trust/sign.ts'

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

  test.each<[string, () => Partial<Asked>, (good: string) => string]>([
    ['for another agent', () => ({ claims: { aud: digestOf('another agent') } }), (good) => good],
    ['of somebody else', () => ({ by: signer('h1') }), (good) => good],
    ['without its signature', () => ({}), (good) => good.replace(/\.[^.]*$/, '')],
    ['given twice', () => ({}), (good) => `${good}, ${good}`],
    ['of 100 KiB', () => ({}), (good) => `${good}${'A'.repeat(8000)}`],
    ['of other characters', () => ({}), () => 'Hosting é.é.é'],
  ])('%s the request is refused', async (_, changes, change) => {
    await refused(read, change(agent.sign({ ...read, ...changes() })))
  })

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
