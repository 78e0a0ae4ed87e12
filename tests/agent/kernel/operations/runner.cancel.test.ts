import { expect, test } from 'bun:test'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Operation } from '#agent/kernel/operations/operation.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import { type GivenCommands, tableOf } from '#tests/support/commands.ts'
import { type FakeHost, freeHost } from '#tests/support/fake-host.ts'
import { poll } from '#tests/support/lab/wait.ts'

const shop = { domain: 'shop.example' }
const other = { domain: 'other.example' }
const CANCELLED = {
  error: 'Conflict',
  message: 'The operation was cancelled',
  code: 'cancelled',
}

type Steps = (host: Host) => Step[]

/** A cache.purge with these steps. */
function purging(steps: Steps): GivenCommands {
  return {
    'cache.purge': {
      lock: ({ domain }) => domain,
      steps: (_, host) => steps(host),
      plan: async (_, host) => steps(host),
      async *run({ domain }, { host, perform }) {
        yield* perform(steps(host))
        return { domain }
      },
    },
  }
}

function step(name: string, program: string, host: Host, extra: Partial<Step> = {}): Step {
  return {
    name,
    title: `Making ${name}`,
    effects: [],
    apply: async () => void (await host.shell.run([program])),
    undo: async () => void (await host.shell.run([`un${program}`])),
    ...extra,
  }
}

const two: Steps = (host) => [step('a', 'first', host), step('b', 'second', host)]

function runnerOf(host: FakeHost, table: GivenCommands, places = 2) {
  const reported: unknown[] = []
  const report = (error: unknown) => void reported.push(error)
  return { reported, runner: new Runner({ host, commands: tableOf(table), report, places }) }
}

const runs = (host: FakeHost, line: string) => poll(async () => host.ran.includes(line))

async function transcript(operation: Operation): Promise<unknown[]> {
  const events = await Array.fromAsync(operation.follow(0, new AbortController().signal))
  return events.map(({ event, data }: StoredEvent) => (event === 'log' ? data.message : data))
}

/** The operation op1 with these steps, at the moment when it runs the program. */
async function running(host: FakeHost, program: string, steps: Steps = two) {
  const { runner } = runnerOf(host, purging(steps))
  const operation = await runner.start('cache.purge', shop, 'op1')
  await runs(host, program)
  return { runner, operation }
}
const decidedFirst: Steps = (on) => [
  step('a', 'first', on, { decided: async () => true }),
  step('b', 'second', on),
]

test.each([
  { force: false, signals: ['SIGTERM op1'] },
  { force: true, signals: ['SIGKILL op1'] },
])(
  'ends the running step ($force), undoes the started ones, and reports it',
  async ({ force, signals }) => {
    const host = freeHost()
    host.hang('second')
    const { runner, operation } = await running(host, 'second')

    expect(await runner.cancel('op1', force)).toBe(false)

    expect(await transcript(operation)).toEqual([
      'Making a',
      'Making b',
      'The operation was cancelled',
      'Undoing: Making b',
      'Undoing: Making a',
      CANCELLED,
    ])
    expect(host.ran).toEqual(['first', 'second', 'unsecond', 'unfirst'])
    expect(host.signals).toEqual([...signals])
    expect(await runner.cancel('op1', force)).toBe(true)
  },
)

test('gives a program 10 seconds to end, and undoes nothing while it runs', async () => {
  const host = freeHost()
  host.hang('second', true)
  const { runner, operation } = await running(host, 'second')
  const began = host.time

  await runner.cancel('op1', false)

  expect((await transcript(operation)).at(-1)).toEqual(CANCELLED)
  expect(host.time - began).toBeGreaterThanOrEqual(10_000)
  expect(host.time - began).toBeLessThan(10_100)
  expect(host.signals).toEqual(['SIGTERM op1', 'SIGKILL op1'])
})

test('a forced cancel after a graceful one does not wait any longer', async () => {
  const host = freeHost()
  host.hang('second', true)
  const elapsing = Promise.withResolvers<void>()
  const { sleep } = host.clock
  host.clock.sleep = (ms) => (ms > 10 ? elapsing.promise : sleep(ms))
  const { runner, operation } = await running(host, 'second')
  await runner.cancel('op1', false)

  await runner.cancel('op1', true)

  expect((await transcript(operation)).at(-1)).toEqual(CANCELLED)
  expect(host.signals).toEqual(['SIGTERM op1', 'SIGKILL op1'])
})

test('an operation with queued steps is undone completely after a cancel', async () => {
  const host = freeHost()
  host.hang('second')
  const undo = async (session: Host) =>
    session.exclusive('nginx', async () => {
      await session.shell.run(['unfirst'])
    })
  const steps: Steps = (session) =>
    two(session).map((one) => (one.undo ? { ...one, undo: () => undo(session) } : one))
  const { runner, operation } = await running(host, 'second', steps)

  await runner.cancel('op1', true)

  expect((await transcript(operation)).at(-1)).toEqual(CANCELLED)
  expect(host.ran).toEqual(['first', 'second', 'unfirst', 'unfirst'])
})

test('an operation that is being undone cannot be cancelled', async () => {
  const host = freeHost()
  host.fail('second', 'no space')
  host.hang('unsecond')
  const { runner, operation } = await running(host, 'unsecond')

  expect(await runner.cancel('op1', true)).toBe(false)
  expect(host.hanging).toHaveLength(1)
  for (const { end } of host.hanging.splice(0)) end(1)

  expect((await transcript(operation)).at(-1)).toEqual({
    error: 'Internal error',
    message: expect.stringContaining('second failed (exit status 1): no space; could not undo'),
    code: 'not_undone',
  })
  expect(host.ran.at(-1)).toBe('unfirst')
})

test('an operation past the point of no return completes', async () => {
  const host = freeHost()
  host.hang('second')
  const { runner, operation } = await running(host, 'second', decidedFirst)

  expect(await runner.cancel('op1', true)).toBe(false)
  expect(host.signals).toEqual([])
  for (const { end } of host.hanging.splice(0)) end(0)

  expect((await transcript(operation)).at(-1)).toEqual({ status: 'ok', ...shop })
})

test('an operation that is cancelled while it passes the point of no return continues', async () => {
  const host = freeHost()
  host.hang('first')
  const { runner, operation } = await running(host, 'first', decidedFirst)

  await runner.cancel('op1', true)

  expect((await transcript(operation)).at(-1)).toEqual({ status: 'ok', ...shop })
  expect(host.ran).toEqual(['first', 'second'])
})

test.each([1, 2])('a queued operation ends immediately, with %d slots', async (places) => {
  const host = freeHost()
  host.hang('second')
  const { runner } = runnerOf(host, purging(two), places)
  const first = await runner.start('cache.purge', shop, 'op1')
  const waiting = await runner.start('cache.purge', places === 1 ? other : shop, 'op2')
  await runs(host, 'second')

  await runner.cancel('op2', false)

  expect(await transcript(waiting)).toEqual(['Waiting for another operation to end', CANCELLED])
  expect(host.ran).toEqual(['first', 'second'])
  const third = await runner.start('cache.purge', shop, 'op3')
  await runner.cancel('op1', true)
  await transcript(first)
  host.hangs.length = 0
  expect((await transcript(third)).at(-1)).toEqual({ status: 'ok', ...shop })
})

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
    ({ clock }) => Object.assign(clock, { sleep: never }),
    (host) => host.clock.sleep(1e6),
  ],
  [
    'a download',
    ({ net }) => Object.assign(net, { download: never }),
    (host) => host.net.download('https://a.example', '/a', 'sha1'),
  ],
  [
    'a fetch',
    ({ net }) => Object.assign(net, { fetch: never }),
    (host) => host.net.fetch('https://a.example'),
  ],
  [
    'an order at the certificate authority',
    ({ acme }) => Object.assign(acme, { order: never }),
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
  const { runner, operation } = await running(host, 'change', steps)

  await runner.cancel('op1', true)

  await transcript(operation)
  expect(host.ran).toEqual(['change', 'put back', 'unfirst'])
})

test('lists steps that could not be undone', async () => {
  const host = freeHost()
  host.hang('second')
  host.fail('unfirst', 'busy')
  const { runner, operation } = await running(host, 'second')

  await runner.cancel('op1', true)

  expect((await transcript(operation)).at(-1)).toEqual({
    error: 'Conflict',
    message:
      'The operation was cancelled; could not undo: Making a (unfirst failed (exit status 1): busy)',
    code: 'cancelled_not_undone',
  })
})
