import { expect, test } from 'bun:test'
import { StallWatch } from '#agent/features/backups/restic/run.ts'
import { SETTINGS } from '#agent/kernel/host/simulated/settings.ts'
import { FakeHost } from '#tests/support/fake-host.ts'

const status = (counts: object) => JSON.stringify({ message_type: 'status', ...counts })
const MINUTE = 60_000

/** The signals after these lines, one each minute, the first of them for as long as it takes. */
async function signalsAfter(lines: readonly string[]): Promise<[readonly string[], boolean]> {
  const host = new FakeHost()
  using stall = new StallWatch({ ...host, operation: 'op' })
  for (let at = 0; at <= SETTINGS.restic_stall_ms / MINUTE + 1; at++) {
    await stall.see(lines[at % lines.length] ?? '')
    host.time += MINUTE
  }
  return [host.signals, stall.over]
}

test('ends restic when its counts stay the same', async () => {
  const still = status({ bytes_restored: 5, seconds_elapsed: 1 })

  expect(await signalsAfter([still])).toEqual([['SIGKILL op'], true])
})

test('takes neither time nor errors for progress', async () => {
  const lines = Array.from({ length: 100 }, (_, at) =>
    at % 2 === 0
      ? status({ bytes_done: 5, seconds_elapsed: at, seconds_remaining: 200 - at })
      : JSON.stringify({ message_type: 'error', error: { message: `pack ${at}: i/o timeout` } }),
  )

  expect(await signalsAfter(lines)).toEqual([['SIGKILL op'], true])
})

test.each(['bytes_done', 'total_files', 'files_restored', 'bytes_skipped', 'files_deleted'])(
  'continues while %s grows',
  async (count) => {
    const lines = Array.from({ length: 100 }, (_, at) => status({ [count]: Math.floor(at / 20) }))

    expect(await signalsAfter(lines)).toEqual([[], false])
  },
)

test.each([
  ['ends', [5], ['SIGKILL op']],
  ['continues', Array.from({ length: 100 }, (_, at) => Math.floor(at / 20)), []],
])('%s a program without status by its bytes', async (_, counts, signals) => {
  const host = new FakeHost()
  using stall = new StallWatch({ ...host, operation: 'op' })
  for (let at = 0; at <= SETTINGS.restic_stall_ms / MINUTE + 1; at++) {
    stall.reached(counts[at % counts.length] ?? 0)
    await stall.look()
    host.time += MINUTE
  }

  expect(host.signals).toEqual(signals)
})
