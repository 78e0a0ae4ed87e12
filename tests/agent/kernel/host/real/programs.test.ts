import { afterEach, expect, test } from 'bun:test'
import { programs } from '#agent/kernel/host/real/programs.ts'
import { shell } from '#agent/kernel/host/real/shell.ts'
import { poll } from '#tests/support/lab/wait.ts'

const operation = `test-${process.pid}`
const other = `${operation}x`
const stubborn = ['sh', '-c', 'trap "" TERM; setsid -f sleep 60; setsid -f sleep 60; sleep 60']

afterEach(async () => {
  for (const id of [operation, other]) {
    while ((await programs.count(id)) > 0) await programs.signal(id, 'SIGKILL')
  }
})

const until = (count: number, id = operation) =>
  poll(async () => (await programs.count(id)) === count)

test('finds and ends processes that left their group and session', async () => {
  const ended = shell.try(stubborn, { operation })
  await until(4)

  await programs.signal(operation, 'SIGTERM')
  await Bun.sleep(20)
  expect(await programs.count(operation)).toBe(4)

  await programs.signal(operation, 'SIGKILL')
  expect((await ended).code).not.toBe(0)
  expect(await until(0)).toBe(true)
})

test('does not end processes of another operation, also with a similar name', async () => {
  const running = [operation, other].map((id) => shell.try(['sleep', '60'], { operation: id }))
  await Promise.all([until(1), until(1, other)])

  await programs.signal(operation, 'SIGKILL')

  await running[0]
  expect([await programs.count(operation), await programs.count(other)]).toEqual([0, 1])
})

test('distinguishes programs that must not be killed from others', async () => {
  void shell.try(['sleep', '60'], { operation })
  void shell.try(['sleep', '60'], { operation, lasting: true })
  await until(2)

  expect(await programs.lasting(operation)).toBe(1)
})
