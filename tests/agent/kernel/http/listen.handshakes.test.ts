import { expect, test } from 'bun:test'
import { Socket } from 'node:net'
import { perEventLoopTurn } from '#agent/kernel/http/listen.ts'

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Connections that were accepted at once, and the numbers of those whose handshake has begun. */
function accepted(count: number) {
  const started: number[] = []
  const sockets = Array.from({ length: count }, () => new Socket())
  const secure = perEventLoopTurn((socket) => started.push(sockets.indexOf(socket)))
  for (const socket of sockets) secure(socket)
  return { sockets, started }
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => from + at)

test('starts a few handshakes in each turn of the event loop, the oldest first', async () => {
  const { started } = accepted(40)
  const seen: number[][] = []

  for (let turn = 0; turn < 4; turn += 1) {
    seen.push([...started])
    await nextTurn()
  }

  expect(seen).toEqual([0, 16, 32, 40].map((to) => numbers(0, to)))
})

test('skips a connection that has ended meanwhile', async () => {
  const { sockets, started } = accepted(40)
  for (const socket of sockets.slice(0, 30)) socket.destroy()

  await nextTurn()
  await nextTurn()

  expect(started).toEqual(numbers(30, 40))
})
