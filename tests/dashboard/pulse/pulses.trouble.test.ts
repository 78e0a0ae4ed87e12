import { afterEach, describe, expect, test } from 'bun:test'
import { ServiceError } from '#shared/errors.ts'
import { ANSWER, type PulseRun, startPulses } from '#tests/support/dashboard/pulses.ts'

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

    const unread = 'the health or the numbers of sites could not be stored'
    const each = (at: string) => [unread, at, 'metrics could not be stored']
    expect(run.writes).toEqual([...each('114: 1 at 1'), ...each('174: 1 at 2')])
  })

  test('are not delayed by agents whose health and numbers are slow', async () => {
    const slow = Array.from({ length: 16 }, (_, place) => 1 + 50 * place)
    begin([...slow, 2], { follow: () => run.clock.sleep(1.5 * MINUTE) })

    await run.clock.pass(4 * MINUTE - 1)

    const readings = run.writes.filter((write) => write.includes(': 2 '))
    expect(readings).toEqual(['115: 2 at 1', '175: 2 at 2', '235: 2 at 3'])
    expect(run.followed.filter((id) => id === 1)).toHaveLength(2)
    expect(run.writes[0]).toBe(`114: ${slow} at 1`)
  })
})
