import { expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { requestAnswer } from '#dashboard/kernel/agents/agents.ts'
import { RequestTimeout } from '#dashboard/kernel/agents/request-timeout.ts'
import { getRequest, plainTransport, type Transport } from '#dashboard/kernel/agents/transport.ts'

test('a connection that is used again has no more listeners than before', async () => {
  using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('[]') })
  const plain = plainTransport({ id: 1, hostname: '127.0.0.1', port: server.port ?? 0 }, false)
  const counts = new Map<Socket, number[]>()
  const transport: Transport = {
    ...plain,
    open(call, fresh) {
      const request = plain.open(call, fresh)
      request.once('socket', (socket: Socket) => {
        counts.set(socket, [...(counts.get(socket) ?? []), socket.listenerCount('connect')])
      })
      return request
    },
  }

  for (let calls = 0; calls < 5; calls++) {
    const timeout = new RequestTimeout(10_000)
    await text(await requestAnswer(transport, getRequest('/metrics'), timeout))
    timeout.end()
    await Bun.sleep(5)
  }

  const [first = 0, ...later] = [...counts.values()].flat()
  expect([counts.size, later]).toEqual([1, Array(4).fill(later[0])])
  expect(later[0]).toBeLessThanOrEqual(first)
})
