import { expect, test } from 'bun:test'
import { ProgressLines } from '#agent/features/backups/restic/progress.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'

const status = (bytes_done: number, more = {}) =>
  JSON.stringify({ message_type: 'status', total_bytes: 4e9, bytes_done, ...more })

test('turns the status of restic into a line each five seconds', () => {
  let now = 0
  const lines = new ProgressLines(() => now)
  const read = [0, 1000, 5000, 6000, 10_000].map((at) => {
    now = at
    return lines.read(status(at * 2e5, { seconds_remaining: at / 1000 }))
  })

  expect(read).toEqual([
    undefined,
    undefined,
    '1.0 GB of 4.0 GB (25 %), about 5 s left',
    undefined,
    '2.0 GB of 4.0 GB (50 %), about 10 s left',
  ])
})

test('estimates the time that a restore still takes, which restic does not', () => {
  let now = 0
  const lines = new ProgressLines(() => now)
  const read = [0, 5000, 10_000].map((at) => {
    now = at
    const restored = { bytes_restored: at * 2e5, seconds_elapsed: at / 1000, percent_done: 0 }
    return lines.read(
      JSON.stringify({ message_type: 'status', total_bytes: 4e9, total_files: 9, ...restored }),
    )
  })

  expect(read).toEqual([
    undefined,
    '1.0 GB of 4.0 GB (25 %), about 15 s left',
    '2.0 GB of 4.0 GB (50 %), about 10 s left',
  ])
})

test('knows whether all files that failed were deleted meanwhile', () => {
  const lines = new ProgressLines(() => 0)
  const failed = (message: string) =>
    lines.read(JSON.stringify({ message_type: 'error', error: { message } }))

  failed('open /site/a: no such file or directory')
  expect(lines.onlyVanished).toBe(true)
  failed('open /site/b: permission denied')
  expect(lines.onlyVanished).toBe(false)
})

test('takes no missing file of the repository for one of the site', () => {
  const lines = new ProgressLines(() => 0)
  const message =
    'tree d4 could not be loaded; the repository could be damaged: ReadFull(<data/50>): open /mnt/store/data/50: no such file or directory'

  lines.read(JSON.stringify({ message_type: 'error', error: { message } }))

  expect(lines.onlyVanished).toBe(false)
})

test('ignores lines of another form', () => {
  const lines = new ProgressLines(() => 0)

  expect(['', 'text', '{', '{"message_type":"summary"}'].map((line) => lines.read(line))).toEqual(
    Array(4).fill(undefined),
  )
  expect(lines.summary).toBeUndefined()
})

test('writes sizes with three digits', () => {
  expect([0, 999, 1000, 1_234_567, 123_456_789, 5e15].map(sizeOf)).toEqual([
    ...['0 B', '999 B', '1.0 kB', '1.2 MB', '123 MB', '5000 TB'],
  ])
})
