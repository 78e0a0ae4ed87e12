import { expect, test } from 'bun:test'
import { Agents } from '#dashboard/kernel/agents/agents.ts'
import { plainTransport } from '#dashboard/kernel/agents/transport.ts'
import { exportReading } from '#shared/database/readings.ts'
import { METRICS } from '#tests/support/fake-agent.ts'

const SITE = { domain: 'shop.example' }

/** An agent that sends `first`, and then nothing. */
function hanging(first?: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      request.signal.addEventListener('abort', () => resolve())
      if (first === undefined) await promise
      return new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(first)
            await promise
          },
        }),
      )
    },
  })
  const to = { id: 1, hostname: '127.0.0.1', port: server.port ?? 0, metrics: METRICS }
  const agents = new Agents({
    transports: async (address) => plainTransport(address, false),
    timeout_ms: 10_000,
    contact_ms: 10_000,
  })
  const end = async () => {
    resolve()
    await server.stop(true)
  }
  return { to, agents, left: promise, [Symbol.asyncDispose]: end }
}

const LATE = { code: 'offline', message: expect.stringContaining('did not answer in time') }

test.each([undefined, 'the first bytes'])('an answer of %j is over at its time', async (first) => {
  await using agent = hanging(first)
  const { agents, to } = agent

  const asked = agents
    .call(to, exportReading, SITE, { timeout_ms: 200 })
    .then(({ body }) => new Response(body).text())

  await expect(asked).rejects.toMatchObject(LATE)
  await agent.left
})

test('a caller that disconnects ends it', async () => {
  await using agent = hanging('the first bytes')
  const caller = new AbortController()

  const { body } = await agent.agents.call(agent.to, exportReading, SITE, caller)
  caller.abort()

  await expect(new Response(body).text()).rejects.toThrow()
  await agent.left
})
