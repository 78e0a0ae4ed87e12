// tier: gate
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { z } from 'zod'
import { rawKeyOf } from '#agent/kernel/host/public-keys.ts'
import { Agents } from '#dashboard/kernel/agents/agents.ts'
import { ReceiveBudget } from '#dashboard/kernel/agents/output-limits.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import type { AddressRules } from '#dashboard/kernel/trust/addresses.ts'
import { PinnedTransport } from '#dashboard/kernel/trust/pinned-transport.ts'
import { jobRunsReading } from '#shared/jobs/readings.ts'
import { listOf } from '#shared/kernel/reading.ts'
import { newKeysReading } from '#shared/servers/keys.readings.ts'
import { metricsReading } from '#shared/servers/readings.ts'
import { sitesReading } from '#shared/sites/readings.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { cut, FakeAgent, METRICS, type Reply, spaces, streamOf } from '#tests/support/fake-agent.ts'
import { challenge, nonce, signer } from '#tests/support/trust/sign.ts'

const { kid, public_key, private_key } = signer('h1')
const key = { kid, public_key: rawKeyOf(public_key), private_key }
const clock = new HeldClock()
const NOW = clock.now().getTime() / 1000
/** Readings with a short answer. */
const Good = z.object({ good: z.literal(true) })
const short = { ...metricsReading, answer: Good } as never as typeof metricsReading
const repeated = { ...jobRunsReading, answer: Good } as never as typeof jobRunsReading
const goods = { ...sitesReading, answer: listOf('goods', Good) } as never as typeof sitesReading
const good: Reply = () => Response.json({ good: true })
let agent: FakeAgent
const open: PinnedTransport[] = []

beforeEach(async () => {
  agent = await FakeAgent.enrollable()
  agent.answer = good
})

afterEach(async () => {
  for (const transport of open.splice(0)) transport.close()
  await agent.stop()
})

interface To {
  port?: number
  hostname?: string
  rules?: AddressRules
  /** Whose certificate is known. */
  known?: FakeAgent
  timeout_ms?: number
}

/**
 * Requests an agent, always over the same transport; resolves with the answer or the error message.
 */
function asking(options: To = {}) {
  const { agents, to } = reaching(options)
  return (): Promise<unknown> => agents.call(to, short, {}).catch((error: Error) => error.message)
}

function reaching({ port = agent.port, hostname = '127.0.0.1', ...more }: To = {}) {
  const {
    known = agent,
    rules = { production: false, allow_private: true },
    timeout_ms = 10_000,
  } = more
  const to = { id: 1, hostname, port, metrics: METRICS }
  const { certificate, public_key: theirs } = known.identity
  const row = { server_id: 1, certificate, public_key: theirs, enrolled_at: '' }
  const deps = { clock, random: secureRandom, key, rules }
  const transport = new PinnedTransport(
    deps,
    to,
    row as ConstructorParameters<typeof PinnedTransport>[2],
  )
  open.push(transport)
  return {
    agents: new Agents({ transports: async () => transport, timeout_ms, contact_ms: timeout_ms }),
    to,
  }
}

/** Breaks the connection of the requests with these numbers, counted from 1, without an answer. */
function breaking(...numbers: readonly number[]): string[] {
  const proofs: string[] = []
  agent.answer = (request, wire) => {
    proofs.push(request.headers.get('authorization') ?? '')
    return numbers.includes(proofs.length) ? cut(request, wire) : good(request, wire)
  }
  return proofs
}

test('contacts the agent with the pinned certificate under any name', async () => {
  expect(await asking()()).toEqual({ good: true })
  expect(await asking({ hostname: 'localhost' })()).toEqual({ good: true })
  expect(agent.asked).toEqual(['GET /metrics', 'GET /metrics'])
})

test('sends nothing to an agent with another certificate, also after the correct one', async () => {
  const ask = asking()
  const before = await ask()
  const { port, identity } = agent
  await agent.stop()
  agent = await FakeAgent.enrollable(port)
  agent.answer = good

  const after = await ask()

  expect([before, after]).toEqual([
    { good: true },
    `The agent on 127.0.0.1:${port} broke the connection`,
  ])
  expect(agent.identity.certificate).not.toBe(identity.certificate)
  expect(agent.asked).toEqual([])
})

test('uses no connection with another certificate', async () => {
  await using other = await FakeAgent.enrollable()
  other.answer = good
  const known = asking({ port: other.port, known: other })
  await known()

  const answer = await asking({ port: other.port })()

  expect(answer).toBe(`The agent on 127.0.0.1:${other.port} broke the connection`)
  expect(other.asked).toEqual(['GET /metrics'])
})

test.each([301, 302, 303, 307, 308])('follows no redirect with status %d', async (status) => {
  await using other = await FakeAgent.enrollable()
  const location = `https://127.0.0.1:${other.port}/metrics`
  agent.answer = () => new Response(null, { status, headers: { location } })

  expect(await asking()()).toBe(`The agent answered: status ${status}`)
  expect([agent.asked, other.asked]).toEqual([['GET /metrics'], []])
})

test('receives the nonce of the process, and repeats the request once with it', async () => {
  const boot = nonce()
  const claimed: unknown[] = []
  agent.answer = (request, wire) => {
    const payload = request.headers.get('authorization')?.split('.')[1] ?? ''
    claimed.push(JSON.parse(Buffer.from(payload, 'base64url').toString()).boot)
    return claimed.at(-1) === boot ? good(request, wire) : challenge(boot, NOW)
  }
  const ask = asking()

  expect([await ask(), await ask()]).toEqual([{ good: true }, { good: true }])
  expect(claimed).toEqual(['A'.repeat(22), boot, boot])
})

test('fails with an agent that returns another nonce each time', async () => {
  agent.answer = () => challenge(nonce(), NOW)

  expect(await asking()()).toBe(
    'The agent refused the key of this dashboard: as root on the server, run "hosting-agent trust --hub-key" with the key on the page Keys',
  )
  expect(agent.asked).toHaveLength(2)
})

test.each([
  ['ahead of', 120],
  ['behind', -3600],
])('names the seconds by which the clock of the server is %s this one', async (way, seconds) => {
  agent.answer = () => challenge(nonce(), NOW + seconds)

  expect(await asking()()).toMatch(
    new RegExp(`^The clock of the server is ${Math.abs(seconds)} seconds ${way} this one: set it$`),
  )
})

test.each(['127.0.0.1', '::ffff:127.0.0.1', 'localhost'])(
  'does not connect to %s in production',
  async (hostname) => {
    expect(await asking({ hostname, rules: { production: true, allow_private: true } })()).toMatch(
      /^The server is not contacted: .* is an address of this machine, its provider or a reserved range$/,
    )
    expect(agent.asked).toEqual([])
  },
)

test('resolves a name again for each new connection', async () => {
  const rules = { production: false, allow_private: true }
  const ask = asking({ hostname: 'localhost', rules })
  await ask()
  rules.production = true

  const kept = await ask()
  const { port } = agent
  await agent.stop()
  agent = await FakeAgent.enrollable(port)

  expect(kept).toEqual({ good: true })
  expect(await ask()).toMatch(/ is an address of this machine, its provider or a reserved range$/)
  expect(agent.asked).toEqual([])
})

test('repeats a request once, signed again, when a kept connection ends without an answer', async () => {
  const proofs = breaking(2)
  const ask = asking()

  const answers = [await ask(), await ask(), await ask()]

  expect(answers).toEqual([{ good: true }, { good: true }, { good: true }])
  expect(new Set(proofs).size).toBe(4)
})

test('makes no third attempt', async () => {
  breaking(2, 3)
  const ask = asking()
  await ask()

  expect(await ask()).toBe(`The agent on 127.0.0.1:${agent.port} broke the connection`)
  expect(agent.asked).toHaveLength(3)
})

test('does not repeat a request after a broken new connection', async () => {
  breaking(1)

  expect(await asking()()).toBe(`The agent on 127.0.0.1:${agent.port} broke the connection`)
  expect(agent.asked).toHaveLength(1)
})

test('repeats an operation and a reading, and not what the agent must receive once', async () => {
  breaking(2, 5, 8)
  const { agents, to } = reaching()
  const operation_id = crypto.randomUUID()
  const limits = {
    allowance: new ReceiveBudget(),
    end: { ms: 9e4, error: () => new Error('too long') },
  }
  const signal = AbortSignal.timeout(9e4)
  const call = { path: '/exec', body: {}, operation_id, after: 0, signal, ...limits }
  await agents.call(to, short, {})

  await Array.fromAsync(await agents.stream(to, call)).catch(() => undefined)
  await agents.call(to, short, {})
  await agents.call(to, repeated, { domain: 'shop.example' })
  await agents.call(to, short, {})
  const change = agents.call(to, newKeysReading, { epoch: 1, keys: [] })

  await expect(change).rejects.toThrow(`The agent on 127.0.0.1:${agent.port} broke the connection`)
  expect(agent.asked).toEqual([
    ...['GET /metrics', 'POST /exec', 'POST /exec'],
    ...['GET /metrics', 'POST /sites/job-runs', 'POST /sites/job-runs'],
    ...['GET /metrics', 'POST /keys'],
  ])
})

const tooLarge = 'The agent sent an answer that is too large'
const sized = (size: number) => `{"good":true,"more":"${'x'.repeat(size)}"}`

test.each<[string, string, unknown]>([
  ['half a mebibyte', sized(1 << 19), { good: true }],
  ['two mebibytes', sized(2 << 20), tooLarge],
])('reads an answer of %s', async (_, text, expected) => {
  agent.answer = () => new Response(text)
  const { agents, to } = reaching()

  const answer = await agents.call(to, short, {}).catch((error: Error) => error.message)

  expect<unknown>(answer).toEqual(expected)
})

const entry = `{"good":true,"more":"${'x'.repeat(1000)}"}`

test.each<[string, number, unknown]>([
  ['two mebibytes', 2000, { read: 2000, total: 2000 }],
  ['more entries than are read', 25_000, { read: 20_000, total: 25_000 }],
  ['more than 32 mebibytes', 40_000, tooLarge],
])('reads a list of %s', async (_, count, expected) => {
  agent.answer = () => new Response(`{"goods":[${Array(count).fill(entry).join(',')}]}`)
  const { agents, to } = reaching()

  const answer = await agents
    .call(to, goods, {})
    .then(({ entries, total }) => ({ read: entries.length, total }))
    .catch((error: Error) => error.message)

  expect<unknown>(answer).toEqual(expected)
})

test.each<[string, Reply]>([
  ['never answers', () => undefined],
  ['never ends', () => new Response(streamOf(spaces()))],
])('does not wait for an agent that %s', async (_, answer) => {
  agent.answer = answer

  const ask = asking({ timeout_ms: 300 })

  expect(await ask()).toBe(`The agent on 127.0.0.1:${agent.port} did not answer in time`)
})

test('makes one attempt when an agent falls silent on a kept connection', async () => {
  const ask = asking({ timeout_ms: 1_000 })
  await ask()
  agent.answer = () => undefined

  expect(await ask()).toBe(`The agent on 127.0.0.1:${agent.port} did not answer in time`)
  expect(agent.asked).toHaveLength(2)
})

const GOOD = { good: true } as const

test('requests at the same time all receive the nonce of the process', async () => {
  const agent = await FakeAgent.enrollable()
  const boot = nonce()
  const held = Promise.withResolvers<void>()
  let refused = 0
  agent.answer = async ({ headers }) => {
    const payload = headers.get('authorization')?.split('.')[1] ?? ''
    if (JSON.parse(Buffer.from(payload, 'base64url').toString()).boot === boot)
      return Response.json(GOOD)
    refused += 1
    // All are signed before one is refused.
    if (refused === 3) held.resolve()
    await held.promise
    return challenge(boot, clock.now().getTime() / 1000)
  }
  const to = { id: 1, hostname: '127.0.0.1', port: agent.port }
  const rules = { production: false, allow_private: true }
  const { certificate, public_key: theirs } = agent.identity
  const row = { server_id: 1, certificate, public_key: theirs, enrolled_at: '' }
  const transport = new PinnedTransport(
    { clock, random: secureRandom, key, rules },
    to,
    row as ConstructorParameters<typeof PinnedTransport>[2],
  )
  const limits = { timeout_ms: 10_000, contact_ms: 10_000 }
  const agents = new Agents({ transports: async () => transport, ...limits })
  const ask = (): Promise<unknown> =>
    agents.call(to, short, {}).catch((error: Error) => error.message)

  const all = await Promise.all([ask(), ask(), ask()])

  transport.close()
  await agent.stop()
  expect(all).toEqual([GOOD, GOOD, GOOD])
  expect(refused).toBe(3)
})
