import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { readConfig } from '#agent/kernel/config.ts'
import { undelete } from '#agent/programs/keeper/s3/undelete.ts'
import { realHost } from '#agent/real-host.ts'
import { startSmallS3 } from '#tests/support/storage/small-s3.ts'

const { clock } = realHost(readConfig({}).settings)
const SINCE = Date.parse('2026-03-01T12:00:00Z')
const HOUR_MS = 3_600_000

let s3: Awaited<ReturnType<typeof startSmallS3>>
beforeAll(async () => {
  s3 = await startSmallS3()
})
beforeEach(() => {
  s3.versions.length = 0
})
afterAll(() => s3.stop())

/** An object by its versions, newest first: `-2 a` was written two hours before, `1 gone` deleted after. */
function stored(path: string, ...versions: readonly string[]): void {
  for (const [index, text] of versions.entries()) {
    const [hours, version = ''] = text.split(' ')
    const at = SINCE + Number(hours) * HOUR_MS
    const is_marker = version.startsWith('gone')
    s3.versions.push({ key: `sites/${path}`, version, at, is_latest: index === 0, is_marker })
  }
}

const versions = () =>
  Object.fromEntries(
    Map.groupBy(s3.versions, ({ key }) => key.slice('sites/'.length))
      .entries()
      .map(([path, all]) => [path, all.map(({ version }) => version)]),
  )

test('brings back what was deleted or overwritten since then, and nothing else', async () => {
  stored('shop/index/deleted', '2 gone', '-1 a')
  stored('shop/index/deleted-twice', '2 gone2', '1 gone1', '-1 a')
  stored('shop/snapshots/new', '2 gone', '1 a')
  stored('shop/config', '2 gone', '1 junk', '-1 a')
  stored('shop/index/older', '-1 gone', '-2 a')
  stored('shop/index/present', '-1 a')

  expect(await undelete(clock, s3.bucket, SINCE)).toEqual({ deleted: 3, overwritten: 1 })
  expect(versions()).toEqual({
    'shop/index/deleted': ['a'],
    'shop/index/deleted-twice': ['a'],
    'shop/snapshots/new': ['a'],
    'shop/config': ['copy of a', 'gone', 'junk', 'a'],
    'shop/index/older': ['gone', 'a'],
    'shop/index/present': ['a'],
  })
})

test('never brings back a lock, whose program has ended', async () => {
  stored('shop/locks/deleted', '2 gone', '-1 a')
  stored('shop/locks/of-the-attack', '2 gone', '1 a')
  stored('shop/locks/overwritten', '1 junk', '-1 a')
  stored('locks/index/of-a-site-with-this-name', '2 gone', '-1 a')

  expect(await undelete(clock, s3.bucket, SINCE)).toEqual({ deleted: 1, overwritten: 0 })
  expect(versions()).toEqual({
    'shop/locks/deleted': ['gone', 'a'],
    'shop/locks/of-the-attack': ['gone', 'a'],
    'shop/locks/overwritten': ['junk', 'a'],
    'locks/index/of-a-site-with-this-name': ['a'],
  })
})

test('does not bring back what was deleted before then', async () => {
  stored('shop/index/deleted-again', '1 gone2', '-1 gone1', '-2 a')
  stored('shop/index/written-over', '1 junk', '-1 gone', '-2 a')

  expect(await undelete(clock, s3.bucket, SINCE)).toEqual({ deleted: 0, overwritten: 0 })
  expect(versions()).toEqual({
    'shop/index/deleted-again': ['gone2', 'gone1', 'a'],
    'shop/index/written-over': ['junk', 'gone', 'a'],
  })
})

test('brings back the present configuration of a repository that was created again', async () => {
  stored('shop/config', '1 gone2', '-1 new', '-2 gone1', '-3 old')
  stored('blog/config', '1 junk', '-1 new', '-2 gone', '-3 old')

  expect(await undelete(clock, s3.bucket, SINCE)).toEqual({ deleted: 1, overwritten: 1 })
  expect(versions()).toEqual({
    'shop/config': ['new', 'gone1', 'old'],
    'blog/config': ['copy of new', 'junk', 'new', 'gone', 'old'],
  })
})
