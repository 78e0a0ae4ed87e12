import { expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { isHealthy } from '#agent/kernel/http/health.ts'

test.each(['signed', 'none'] as const)(
  'a port that accepts connections and never answers is not healthy (auth %s)',
  async (auth) => {
    await using server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))

    const healthy = isHealthy({ address: '127.0.0.1', port, auth }, 50)

    const socket = await accepted
    expect(await healthy).toBe(false)
    socket.destroy()
  },
)

test('an agent that answers is healthy, and one with another status is not', async () => {
  let status = 200
  using server = Bun.serve({ port: 0, fetch: () => new Response('', { status }) })
  const config = { address: '127.0.0.1', port: server.port ?? 0, auth: 'none' } as const

  const well = await isHealthy(config)
  status = 503

  expect([well, await isHealthy(config)]).toEqual([true, false])
})
