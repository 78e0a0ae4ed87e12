import { describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { reachCodeOf } from '#dashboard/kernel/agents/agent-errors.ts'
import { findObstacle } from '#dashboard/kernel/trust/probe-connection.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const DEVELOPMENT = { production: false, allow_private: true }
const PRODUCTION = { production: true, allow_private: true }

async function listening(host: string): Promise<{ port: number; close: () => void }> {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return { port: (server.address() as { port: number }).port, close: () => server.close() }
}

describe('a connection', () => {
  test.each(['127.0.0.1', '::1', 'localhost'])(
    'to a server on %s has no obstacle',
    async (hostname) => {
      const { port, close } = await listening(hostname)
      expect(await findObstacle({ hostname, port }, DEVELOPMENT)).toBeUndefined()
      close()
    },
  )

  test.each([
    ['127.0.0.1', 'connection_refused'],
    ['::1', 'connection_refused'],
    ['no.invalid', 'unresolved'],
  ] as const)('to %s fails with %s', async (hostname, code) => {
    const obstacle = await findObstacle({ hostname, port: 1 }, DEVELOPMENT)
    expect(reachCodeOf(obstacle)).toBe(code)
  })

  test('is not opened to an address without agents', async () => {
    const obstacle = await findObstacle({ hostname: '127.0.0.1', port: 1 }, PRODUCTION)
    expect(obstacle?.message).toStartWith('The server is not contacted: 127.0.0.1')
  })

  // A network without routes of its own.
  test('tells a network without a route from a refusal', async () => {
    const program = `
      const { findObstacle } = await import('#dashboard/kernel/trust/probe-connection.ts')
      const { reachCodeOf } = await import('#dashboard/kernel/agents/agent-errors.ts')
      for (const hostname of ['192.0.2.1', '2001:db8::1'])
        console.log(reachCodeOf(await findObstacle({ hostname, port: 443 }, ${JSON.stringify(DEVELOPMENT)})))`
    const argv = ['unshare', '--user', '--net', process.execPath, '-e', program]
    const { stdout } = Bun.spawnSync(argv)
    expect(String(stdout)).toBe('unreachable\nunreachable\n')
  })
})

describe('a greeting', () => {
  const greeted = async (port: number, speaks: 'tls' | 'http') => {
    const to = { hostname: '127.0.0.1', port }
    const obstacle = await findObstacle(to, DEVELOPMENT, { speaks, answer_ms: 300 })
    return obstacle?.message.replace(/:\d+/, '')
  }
  const BROKEN = 'The agent on 127.0.0.1 broke the connection'

  test('is answered by an agent that speaks the protocol', async () => {
    await using enrolled = await FakeAgent.enrollable()
    await using plain = new FakeAgent()

    const same = [await greeted(enrolled.port, 'tls'), await greeted(plain.port, 'http')]
    const other = [await greeted(enrolled.port, 'http'), await greeted(plain.port, 'tls')]

    expect(same).toEqual([undefined, undefined])
    expect(other[0]).toBe(BROKEN)
    expect(other[1]).toStartWith('The agent on 127.0.0.1')
    expect(enrolled.asked).toEqual([])
  })

  test('is not answered by a program that closes connections, or that says nothing', async () => {
    const closing = await listening('127.0.0.1')
    const silent = createServer((socket) => socket.resume())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }

    const answers = [await greeted(closing.port, 'tls'), await greeted(port, 'tls')]

    expect(answers).toEqual([BROKEN, 'The agent on 127.0.0.1 did not answer in time'])
    closing.close()
    silent.close()
  })
})
