import { expect, test } from 'bun:test'
import { repeat, roundsOf, startRounds } from '#agent/rounds.ts'
import { type RoundName, repeatRound, roundDeps } from '#tests/support/agent/rounds.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const PAUSES = 4

/** Ends the last pause of a round; returns all of them. */
function pausesOf(host: FakeHost): number[] {
  const pauses: number[] = []
  const { sleep } = host.clock
  host.clock.sleep = async (ms) => {
    pauses.push(ms)
    if (pauses.length === PAUSES) throw new Error('over')
    await sleep(ms)
  }
  return pauses
}

const names = Object.keys(roundsOf(roundDeps(fakeHost(), () => undefined))) as RoundName[]

test.each(names)('%s: nothing fails on a server without sites', async (name) => {
  const host = fakeHost()
  const reported: unknown[] = []
  pausesOf(host)

  const repeated = repeatRound(host, name, (error) => reported.push(error))

  await expect(repeated).rejects.toThrow('over')
  expect(reported).toEqual([])
})

test.each(names)(
  '%s: a failure is reported, and the next turn comes after its pause',
  async (name) => {
    const host = fakeHost()
    const pauses = pausesOf(host)
    const reported: unknown[] = []
    const round = roundsOf(roundDeps(host, () => undefined))[name]
    const first = 'first' in round ? [round.first] : []

    const repeated = repeat(host, { ...round, turn: () => Promise.reject('it failed') }, (error) =>
      reported.push(error),
    )

    await expect(repeated).rejects.toThrow('over')
    const turns = PAUSES - first.length
    expect(reported).toEqual(Array.from({ length: turns }, () => 'it failed'))
    const expected = [...first, ...Array.from({ length: turns }, () => round.every)]
    for (const [at, pause] of expected.entries()) {
      const [least, jitter] = typeof pause === 'function' ? [1000, 60_000] : pause
      expect(pauses[at]).toBeWithin(least, least + jitter + 1)
    }
  },
)

test('each round runs, whatever the others do', async () => {
  const host = fakeHost()
  let waiting = 0
  host.clock.sleep = () => {
    waiting += 1
    return new Promise(() => undefined)
  }

  startRounds(roundDeps(host, () => undefined))

  const deadline = Date.now() + 10_000
  while (waiting < names.length && Date.now() < deadline) await Bun.sleep(1)
  expect(waiting).toBe(names.length)
})
