import { expect, test } from 'bun:test'
import type { Host } from '#agent/host/ports.ts'
import {
  CANCELLED,
  purging,
  runnerOf,
  runs,
  type Steps,
  shop,
  step,
  transcript,
  two,
} from '#tests/support/agent/cancelling.ts'
import { type FakeHost, freeHost } from '#tests/support/fake-host.ts'

test('an operation that was cancelled before it arrived does nothing, also after a restart', async () => {
  const host = freeHost()
  const { runner } = runnerOf(host, purging(two))

  expect(await runner.cancel('op1', false)).toBe(true)

  for (const again of [runner, runnerOf(host, purging(two)).runner]) {
    expect(await transcript(await again.start('cache.purge', shop, 'op1'))).toEqual([CANCELLED])
    expect(await again.cancel('op1', true)).toBe(true)
  }
  expect(host.ran).toEqual([])
})

test('an operation that is cancelled before its first line ends without a change', async () => {
  const host = freeHost()
  host.hang('look')
  const { runner } = runnerOf(host, {
    'cache.purge': {
      lock: () => 'x',
      plan: async () => [],
      // biome-ignore lint/correctness/useYield: it is ended before its first message
      async *run(_, own) {
        await own.host.shell.run(['look'])
        return shop
      },
    },
  })
  const starting = runner.start('cache.purge', shop, 'op1')
  await runs(host, 'look')

  await runner.cancel('op1', true)

  expect(await transcript(await starting)).toEqual([CANCELLED])
  expect(await transcript(await runner.start('cache.purge', shop, 'op1'))).toEqual([CANCELLED])
})

const never = () => new Promise<never>(() => undefined)
const ONE_PLACE = { most: 1, first: async () => undefined, last: async () => undefined }

test.each<[string, (host: FakeHost) => void, (host: Host) => Promise<unknown>]>([
  [
    'a pause',
    (host) => {
      host.clock.sleep = never
    },
    (host) => host.clock.sleep(1e6),
  ],
  [
    'a download',
    (host) => {
      host.net.download = never
    },
    (host) => host.net.download('https://a.example', '/a', 'sha1'),
  ],
  [
    'a fetch',
    (host) => {
      host.net.fetch = never
    },
    (host) => host.net.fetch('https://a.example'),
  ],
  [
    'an order at the certificate authority',
    (host) => {
      host.acme.order = never
    },
    (host) => host.acme.order({} as never),
  ],
  [
    'a turn that another operation has',
    (host) => void host.exclusive('nginx', never),
    (host) => host.exclusive('nginx', async () => undefined),
  ],
  [
    'a place that another operation has',
    (host) => void host.shared('import', ONE_PLACE, never),
    (host) => host.shared('import', ONE_PLACE, async () => undefined),
  ],
])('ends %s', async (_, block, wait) => {
  const host = freeHost()
  block(host)
  const steps: Steps = (own) => [
    step('a', 'first', own, { apply: async () => void (await wait(own)) }),
  ]
  const { runner } = runnerOf(host, purging(steps))
  const operation = await runner.start('cache.purge', shop, 'op1')

  await runner.cancel('op1', true)

  expect((await transcript(operation)).at(-1)).toEqual(CANCELLED)
  expect(host.ran).toEqual(['unfirst'])
})

test('a restoration in the middle of a step runs to its end', async () => {
  const host = freeHost()
  host.hang('change')
  const apply = async (own: Host) => {
    try {
      await own.shell.run(['change'])
    } catch (error) {
      await (own.steady ?? own).shell.run(['put', 'back'])
      throw error
    }
  }
  const steps: Steps = (own) => [step('a', 'first', own, { apply: () => apply(own) })]
  const { runner } = runnerOf(host, purging(steps))
  const operation = await runner.start('cache.purge', shop, 'op1')
  await runs(host, 'change')

  await runner.cancel('op1', true)

  await transcript(operation)
  expect(host.ran).toEqual(['change', 'put back', 'unfirst'])
})

test('lists steps that could not be undone', async () => {
  const host = freeHost()
  host.hang('second')
  host.fail('unfirst', 'busy')
  const { runner } = runnerOf(host, purging(two))
  const operation = await runner.start('cache.purge', shop, 'op1')
  await runs(host, 'second')

  await runner.cancel('op1', true)

  expect((await transcript(operation)).at(-1)).toEqual({
    error: 'Conflict',
    message:
      'The operation was cancelled; could not undo: Making a (unfirst failed (exit status 1): busy)',
    code: 'cancelled_not_undone',
  })
})
