import { expect, test } from 'bun:test'
import { resticProcess, type View } from '#agent/os/restic/sandbox.ts'

const VIEW = { files: '/files', cache: '/cached', program: '/bin/restic' }
const STORE = { path: '/mnt/store', locks: '-/mnt/store/shop/locks' }

/** What it may write to, and whether it sees the store without that. */
function mountsOf(view: Partial<View>) {
  const { directives } = resticProcess({ ...VIEW, ...view })
  const paths = (name: string) =>
    directives
      .find((line) => line.startsWith(`${name}=`))
      ?.slice(name.length + 1)
      .split(' ') ?? []
  return { written: paths('BindPaths'), readable: paths('BindReadOnlyPaths').includes(STORE.path) }
}

test('a backup writes to the folder of the repositories', () => {
  expect(mountsOf({ reads: { path: '/srv/www/shop', as: '/site' }, store: STORE })).toEqual({
    ...{ written: ['/cached:/cache', '/mnt/store'], readable: false },
  })
})

test('a restore writes no repository, whatever links are in the backup: only its lock', () => {
  expect(mountsOf({ writes: { path: '/fetched', as: '/restore' }, store: STORE })).toEqual({
    ...{
      written: ['/cached:/cache', '/fetched:/restore', '-/mnt/store/shop/locks'],
      readable: true,
    },
  })
})
