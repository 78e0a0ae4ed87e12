import { describe, expect, test } from 'bun:test'
import { mkdir, readdir, utimes } from 'node:fs/promises'
import { backUpDaily } from '#dashboard/features/recovery/backup/daily.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'

const DAY_MS = 24 * 3600_000
const monday = new Date('2026-11-16T03:00:00Z')
const later = (days: number) => new Date(monday.getTime() + days * DAY_MS)

/** Backups of empty files whose times are those of the clock. */
function keeper(folder: string, kept: number) {
  const log: string[] = []
  const backUp = async (path: string, now: Date) => {
    await mkdir(folder, { recursive: true })
    await Bun.write(path, '')
    await utimes(path, now, now)
  }
  return {
    log,
    run: (
      now: Date,
      make = (path: string) => backUp(path, now),
      isProven = true,
      isRequested = false,
    ) =>
      backUpDaily({
        folder,
        kept,
        now: () => now,
        log: { info: (text) => log.push(text), error: (text) => log.push(text) },
        backUp: make,
        mayDelete: async () => isProven,
        isRequested,
      }),
    names: () => readdir(folder).catch(() => []),
  }
}

describe('the backup of each day', () => {
  test('is created once a day, and the oldest ones are removed', async () => {
    await using home = await makeFolder()
    const { run, names } = keeper(`${home.path}/backups`, 2)

    for (const days of [0, 0.5, 0.9, 1, 1.5, 2]) await run(later(days))

    expect((await names()).sort()).toEqual([
      'daily-2026-11-17T030000Z.tar',
      'daily-2026-11-18T030000Z.tar',
    ])
  })

  test('is kept although a clock that was wrong made others with later names', async () => {
    await using home = await makeFolder()
    const { run, names } = keeper(home.path, 2)
    for (const days of [60, 61]) await run(later(days))

    await run(later(0))
    await run(later(1))

    expect((await names()).sort()).toEqual([
      'daily-2026-11-16T030000Z.tar',
      'daily-2026-11-17T030000Z.tar',
    ])
  })

  test('is created again on request', async () => {
    await using home = await makeFolder()
    const { run, names } = keeper(home.path, 2)

    await run(later(0))
    await run(later(0.5), undefined, true, true)

    expect((await names()).length).toBe(2)
  })

  test('deletes nothing while the time of day is not proven', async () => {
    await using home = await makeFolder()
    const { run, names } = keeper(home.path, 1)
    await run(later(0))

    await run(later(60), undefined, false)

    expect((await names()).sort()).toEqual([
      'daily-2026-11-16T030000Z.tar',
      'daily-2027-01-15T030000Z.tar',
    ])
  })

  test('keeps backups that others made', async () => {
    await using home = await makeFolder()
    const { run, names } = keeper(home.path, 1)
    await Bun.write(`${home.path}/before-update-2026-01-01T000000Z-1.tar`, '')
    await Bun.write(`${home.path}/mine.tar`, '')

    await run(later(0))
    await run(later(1))

    expect((await names()).sort()).toEqual([
      'before-update-2026-01-01T000000Z-1.tar',
      'daily-2026-11-17T030000Z.tar',
      'mine.tar',
    ])
  })

  test('removes files of a killed backup, but not those being written', async () => {
    await using home = await makeFolder()
    const { run, names } = keeper(home.path, 1)
    for (const [name, days] of [
      ['old', -2],
      ['new', -0.1],
    ] as const) {
      await Bun.write(`${home.path}/.partial-${name}`, '')
      await utimes(`${home.path}/.partial-${name}`, later(days), later(days))
    }

    await run(later(0))

    expect((await names()).sort()).toEqual(['.partial-new', 'daily-2026-11-16T030000Z.tar'])
  })

  test('is not created when it is turned off', async () => {
    await using home = await makeFolder()
    const { run, names } = keeper(home.path, 0)

    await run(later(0))

    expect(await names()).toEqual([])
  })

  test('is created again after a clock that was years ahead', async () => {
    await using home = await makeFolder()
    const { run, names } = keeper(home.path, 7)

    await run(later(3650))
    await run(later(0))

    expect(await names()).toHaveLength(2)
  })

  test('reports a failure, deletes nothing and is retried', async () => {
    await using home = await makeFolder()
    const { run, names, log } = keeper(home.path, 1)
    await run(later(0))

    await run(later(1), () => Promise.reject(new Error('There is no space left')))
    const during = await names()
    await run(later(1))

    expect(during).toEqual(['daily-2026-11-16T030000Z.tar'])
    expect(log).toEqual(['backup created', 'backup failed', 'backup created'])
    expect(await names()).toEqual(['daily-2026-11-17T030000Z.tar'])
  })
})
