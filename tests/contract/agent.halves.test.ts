// tier: core
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { stat } from 'node:fs/promises'
import { decodeChallenge } from '#shared/kernel/token.ts'
import { type Halves, startHalves } from '#tests/support/halves.ts'
import { runtimesOf, sweep } from '#tests/support/processes.ts'
import { unauthorized } from '#tests/support/rows.ts'
import { times } from '#tests/support/runs.ts'
import { signer } from '#tests/support/trust/sign.ts'

const MANY = times(100)
const read = { path: '/metrics' }
const scan = { method: 'POST', path: '/sites/wp-scan', body: '{"domain":"nobody.example"}' }
const command = { command: 'wp.scan', params: { domain: 'nobody.example' }, dry_run: true }
const plan = { method: 'POST', path: '/exec', body: JSON.stringify(command) }

describe.each(runtimesOf('agent.halves'))('the two halves of the agent: %s', (runtime) => {
  let halves: Halves
  beforeAll(async () => {
    halves = await startHalves(runtime)
  }, 60_000)
  afterAll(sweep)

  /** Past the front, as who has taken it over. */
  async function behind(path: string, proof?: string) {
    const headers = proof === undefined ? {} : { authorization: proof }
    const response = await fetch(`http://agent${path}`, { unix: halves.socket, headers })
    return { status: response.status, body: await response.json() }
  }

  test('a signed request passes both', async () => {
    const { agent } = halves

    expect((await agent.ask(read)).status).toBe(200)
    const found = await agent.ask(scan)
    expect([found.status, found.body]).toEqual([
      404,
      { error: 'Not found', message: 'Site nobody.example not found' },
    ] as never)
    expect((await agent.send({ path: '/health' })).body).toEqual({ status: 'ok' })
    const { status, body } = await agent.ask(plan)
    expect([status, body]).toEqual([404, found.body] as never)
    const enrol = await agent.send({ method: 'POST', path: '/enrol', body: '{}' })
    expect(enrol.status).toBe(403)
  })

  test(`none of ${MANY} answers hangs`, async () => {
    const { agent } = halves
    for (let count = 0; count < MANY; count += 1) {
      expect((await agent.ask(count % 2 === 0 ? read : scan)).status).toBe(
        count % 2 === 0 ? 200 : 404,
      )
    }
  }, 30_000)

  test('an unsigned request reaches neither', async () => {
    const { agent } = halves

    expect((await agent.send(read)).body).toEqual(unauthorized)
    expect((await agent.ask({ ...read, by: signer('h1') })).body).toEqual(unauthorized)
    expect((await agent.send({ ...scan, body: '{}' }, agent.sign(scan))).status).toBe(401)
    expect((await agent.send({ path: '/enrol' })).status).toBe(401)
  })

  test('a request is valid once, whichever half repeats it', async () => {
    const { agent } = halves
    const proof = agent.sign(read)

    expect((await agent.send(read, proof)).status).toBe(200)
    expect((await agent.send(read, proof)).status).toBe(401)
    expect((await behind('/metrics', proof)).status).toBe(401)
  })

  test('an attacker who controls the front can request nothing from the root half', async () => {
    const { agent } = halves

    expect(await behind('/metrics')).toEqual({ status: 401, body: unauthorized })
    const forged = agent.sign({ ...read, by: signer('h1') })
    expect(await behind('/metrics', forged)).toEqual({ status: 401, body: unauthorized })
    expect((await stat(halves.socket)).mode & 0o777).toBe(0o660)
  })

  test('the front refuses a body that is too large', async () => {
    const { status } = await halves.agent.ask({ ...scan, body: 'x'.repeat(2 << 20) })

    expect(status).toBe(413)
  })

  test('a stopped root half is 503; a new one gets requests with its new nonce', async () => {
    const { agent } = halves
    await halves.root.kill()
    const away = await agent.ask(read)
    expect([away.status, away.body]).toEqual([
      503,
      { error: 'Agent offline', message: 'The agent is starting' },
    ] as never)

    await halves.restartRoot()

    const { status, headers } = await agent.ask(read)
    expect(status).toBe(401)
    const boot = decodeChallenge(headers.get('www-authenticate') ?? '')?.boot
    expect(boot).not.toBe(agent.boot)
    await agent.learn()
    expect((await agent.ask(read)).status).toBe(200)
  }, 30_000)
})
