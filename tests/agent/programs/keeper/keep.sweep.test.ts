import { expect, test } from 'bun:test'
import { sweep } from '#agent/programs/keeper/keep.ts'
import type { Store, StoredFile } from '#agent/programs/keeper/store.ts'

const HOUR = 3_600_000
const NOW = 1000 * HOUR
const name = (digit: string) => digit.repeat(64)

/** A store with these files; `out` lists what was taken out of it. */
function storeWith(files: StoredFile[]) {
  const out: string[] = []
  const store: Store = {
    name: 'store',
    repositories: async () => ['shop'],
    files: async () => files,
    read: async () => '',
    takeOut: async (_, file) => {
      out.push(`${file.folder}/${file.name}`)
    },
    restic: async () => ({ launcher: [], options: [], env: {} }),
    report: async () => undefined,
    removeDrafts: async () => undefined,
  }
  return { store, out }
}
const file = (
  folder: StoredFile['folder'],
  digit: string,
  hours: number,
  sha256: string | undefined = name(digit),
): StoredFile => ({ folder, name: name(digit), size: 200, at: NOW - hours * HOUR, sha256 })

test('takes out locks that are not refreshed and files that are not what their names say', async () => {
  const files = [
    file('locks', '1', 2),
    file('locks', '2', 0.5),
    file('snapshots', '3', 30),
    file('snapshots', '4', 30, name('f')),
    file('keys', '5', 2, name('f')),
    { ...file('index', '6', 30), name: 'upload.tmp-1\n' },
    { ...file('keys', '7', 30), sha256: undefined },
  ]
  const { store, out } = storeWith(files)

  const { files: left, problems } = await sweep(store, 'shop', { now: NOW, dry_run: false })

  expect(out.sort()).toEqual([
    `index/upload.tmp-1\n`,
    `locks/${name('1')}`,
    `snapshots/${name('4')}`,
  ])
  expect(left.map(({ name }) => name[0])).toEqual(['2', '3', '5', '7'])
  expect(problems).toEqual([
    `Removed garbage: snapshots/${name('4')}`,
    `keys/${name('5')} is garbage, or is being written: a run removes it when it is a day old`,
    'Removed garbage: index/upload.tmp-1?',
  ])
})

test('takes out at once what is too short for restic, which ends at it', async () => {
  const files = (['keys', 'snapshots', 'index', 'locks'] as const).flatMap((folder, at) => [
    { ...file(folder, `${at}`, 0), size: 15 },
    { ...file(folder, `${at + 4}`, 0), size: 16 },
    { ...file(folder, `${at + 4}`, 0, undefined), size: 0, sha256: undefined },
  ])
  const { store, out } = storeWith(files)

  const { problems } = await sweep(store, 'shop', { now: NOW, dry_run: false })

  const short = [`snapshots/${name('1')}`, `index/${name('2')}`, `locks/${name('3')}`]
  expect(out).toEqual(short)
  expect(problems).toEqual(short.map((path) => `Removed garbage: ${path}`))
})

test('a dry run takes nothing out', async () => {
  const { store, out } = storeWith([file('locks', '1', 2), file('keys', '2', 30, name('f'))])

  await sweep(store, 'shop', { now: NOW, dry_run: true })

  expect(out).toEqual([])
})
