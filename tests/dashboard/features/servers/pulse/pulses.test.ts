import { afterEach, describe, expect, test } from 'bun:test'
import { ServiceError } from '#shared/kernel/errors.ts'
import { ANSWER, METRICS, type PulseRun, startPulses } from '#tests/support/dashboard/pulses.ts'

const MINUTE = 60_000
let run: PulseRun

const begin = (...of: Parameters<typeof startPulses>) => {
  run = startPulses(...of)
  return run
}

afterEach(async () => {
  const stopped = run.pulses.stop()
  await run.clock.pass(2 * MINUTE)
  await stopped
})

describe('the pulses', () => {
  test('hold one call a minute at each server, and write answers that come together at once', async () => {
    begin([1, 51, 2, 50])

    await run.clock.pass(4 * MINUTE - 1)

    expect(run.calls.slice(0, 8)).toEqual([
      ...['62.5: 50 waits 50', '63.5: 1 waits 50', '63.5: 51 waits 50', '64.5: 2 waits 50'],
      ...['122.5: 50 waits 50', '123.5: 1 waits 50', '123.5: 51 waits 50', '124.5: 2 waits 50'],
    ])
    expect(run.writes).toEqual([
      ...['113: 50 at 1', '114: 1,51 at 1', '115: 2 at 1'],
      ...['173: 50 at 2', '174: 1,51 at 2', '175: 2 at 2'],
      ...['233: 50 at 3', '234: 1,51 at 3', '235: 2 at 3'],
    ])
  })

  test('give each minute one reading of a server whose wait ends in the next one', async () => {
    begin([8, 49])

    await run.clock.pass(4 * MINUTE)

    expect(run.writes).toEqual([...['121: 8 at 2', '162: 49 at 2', '181: 8 at 3', '222: 49 at 3']])
  })

  test('repeat a call that a change ended early after a pause, for the rest of the time', async () => {
    let changes = 2
    begin([1], {
      ask: async (...of) => (changes-- > 0 ? ANSWER : run.held(...of)),
    })

    await run.clock.pass(2 * MINUTE)

    expect(run.calls).toEqual(['63.5: 1 waits 50', '73.5: 1 waits 40', '83.5: 1 waits 30'])
    expect(run.writes).toEqual(['64: 1 at 1', '74: 1 at 1', '114: 1 at 1'])
    expect(run.followed).toEqual([1, 1, 1])
  })

  test('call an agent of another protocol once a minute, since it does not wait', async () => {
    begin([1], { ask: async () => ({ metrics: METRICS }) })

    await run.clock.pass(3 * MINUTE)

    expect(run.calls).toEqual(['63.5: 1 waits 50', '123.5: 1 waits 50'])
    expect(run.followed).toEqual([1, 1])
  })

  test('repeat a run.held call soon when the server has changed', async () => {
    begin([1])
    await run.clock.pass(MINUTE + 10_000)

    run.pulses.again(1)
    run.pulses.again(2)
    await run.clock.pass(5_000)

    expect(run.calls).toEqual(['63.5: 1 waits 50', '71: 1 waits 42'])
    expect(run.writes).toEqual([])
  })

  test('begin at a new server after its sync, until its turn, and once only', async () => {
    begin([1, 40])
    await run.clock.pass(10_000)

    for (const id of [1, 40, 7]) await run.pulses.meet(id)
    await run.pulses.meet(1)
    await run.clock.pass(MINUTE)
    await run.pulses.meet(1)

    expect(run.calls).toEqual(['10: 1 waits 50', '10: 40 waits 29', '63.5: 1 waits 50'])
    expect(run.writes).toEqual(['39.5: 40 at 0', '60.5: 1 at 1'])
  })

  test('end their run.held run.calls and start no more when they are stopped', async () => {
    begin([1, 20])
    await run.clock.pass(MINUTE + 10_000)

    const stopped = run.pulses.stop()
    await run.clock.pass(1)
    await stopped
    await run.clock.pass(3 * MINUTE)

    expect(run.calls).toEqual(['63.5: 1 waits 50'])
    expect(run.writes).toEqual([])
  })
})

describe('pulses in trouble', () => {
  test('leave a new server to its turn while the records cannot be read', async () => {
    begin([1], { find: () => Promise.reject(new Error('disk failure')) })

    await run.pulses.meet(1)
    await run.clock.pass(MINUTE + 10_000)

    expect(run.calls).toEqual(['63.5: 1 waits 50'])
  })

  test('leave a gap for a server that does not answer, and continue with the others', async () => {
    begin([1, 51], {
      ask: (id, ...rest) =>
        id === 1 ? Promise.reject(new ServiceError('offline')) : run.held(id, ...rest),
    })

    await run.clock.pass(3 * MINUTE - 1)

    expect(run.calls.filter((call) => call.includes(': 1 '))).toHaveLength(2)
    expect(run.writes).toEqual(['114: 51 at 1', '174: 51 at 2'])
    expect(run.lost).toEqual(['63.5: 1', '123.5: 1'])
  })

  test('report a server that stops to answer, and meet it again when it answers', async () => {
    let answers = false
    begin([1], {
      ask: (id, ...rest) =>
        answers ? run.held(id, ...rest) : Promise.reject(new ServiceError('offline')),
    })
    await run.clock.pass(MINUTE + 5_000)
    expect([run.lost, run.calls]).toEqual([['63.5: 1'], ['63.5: 1 waits 50']])

    answers = true
    await run.pulses.meet(1)
    await run.clock.pass(5_000)
    expect(run.calls).toEqual(['63.5: 1 waits 50', '65: 1 waits 50'])
  })

  test('skip a server whose last call is still open', async () => {
    begin([1], { ask: (_, wait) => run.clock.sleep(1.5 * wait * 1000).then(() => ANSWER) })

    await run.clock.pass(4 * MINUTE)

    expect(run.calls).toEqual(['63.5: 1 waits 50', '183.5: 1 waits 50'])
  })

  test('continue when a write or what follows fails, and report it', async () => {
    const full = () => Promise.reject(new Error('disk full'))
    begin([1], { store: full, follow: full })

    await run.clock.pass(3 * MINUTE - 1)

    const unread = 'the changes of a server could not be stored'
    const each = (at: string) => [unread, at, 'metrics could not be stored']
    expect(run.writes).toEqual([...each('114: 1 at 1'), ...each('174: 1 at 2')])
  })

  test('follow each answer while the syncs of other servers are slow', async () => {
    const slow = Array.from({ length: 16 }, (_, place) => 1 + 50 * place)
    const synced: number[] = []
    const { promise: held, resolve } = Promise.withResolvers<void>()
    begin([...slow, 2], {
      async sync(id) {
        synced.push(id)
        if (id !== 2) await held
      },
    })

    await run.clock.pass(3 * MINUTE - 1)

    expect(run.followed).toEqual([...slow, 2, 2])
    expect(synced).toEqual([...slow, 2, 2])
    resolve()
  })

  test('are not delayed by servers whose changes take long to store', async () => {
    const slow = Array.from({ length: 16 }, (_, place) => 1 + 50 * place)
    begin([...slow, 2], { follow: () => run.clock.sleep(1.5 * MINUTE) })

    await run.clock.pass(4 * MINUTE - 1)

    const readings = run.writes.filter((write) => write.includes(': 2 '))
    expect(readings).toEqual(['115: 2 at 1', '175: 2 at 2', '235: 2 at 3'])
    expect(run.followed.filter((id) => id === 1)).toHaveLength(2)
    expect(run.writes[0]).toBe(`114: ${slow} at 1`)
  })
})
