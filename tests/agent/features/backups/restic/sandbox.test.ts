import { expect, test } from 'bun:test'
import {
  programsStartedFor,
  type ResticView,
  resticProcess,
} from '#agent/features/backups/restic/sandbox.ts'
import type { BackupPlace } from '#shared/backups/backup.ts'

const VIEW = {
  files: '/files',
  cache: '/cached',
  program: '/opt/restic',
  starts: [],
  denied: ['IPAddressDeny=169.254.0.0/16'],
}
const STORE = { path: '/mnt/store', locks: '-/mnt/store/shop/locks' }

/** What it may write to, and whether it sees the store without that. */
function mountsOf(view: Partial<ResticView>) {
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

/** Everything that is mounted without `noexec`. */
function executableIn(view: Partial<ResticView>) {
  const { directives } = resticProcess({ ...VIEW, ...view })
  const words = (name: string) =>
    directives.flatMap((line) =>
      line.startsWith(`${name}=`) ? line.slice(name.length + 1).split(' ') : [],
    )
  const mounted = [...words('BindReadOnlyPaths'), ...words('BindPaths')].map((mount) => {
    const [source = '', place] = mount.replace(/^-/, '').split(':')
    return place ?? source
  })
  const without = new Set(words('NoExecPaths').map((path) => path.replace(/^-/, '')))
  return mounted.filter((path) => !without.has(path))
}

const LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu',
  '/lib/x86_64-linux-gnu',
  '/lib64/ld-linux-x86-64.so.2',
  '/usr/lib/aarch64-linux-gnu',
  '/lib/aarch64-linux-gnu',
  '/lib/ld-linux-aarch64.so.1',
]

test('only itself can be executed, and nothing that it reads or writes', () => {
  const reads = { path: '/srv/www/shop', as: '/site' }
  const writes = { path: '/fetched', as: '/restore' }

  expect(executableIn({ reads, writes, store: STORE })).toEqual([
    ...LIBRARIES,
    '/usr/bin/env',
    '/usr/lib/locale/C.utf8',
    '/opt/restic',
  ])
})

test.each([
  ['s3', []],
  ['rest', []],
  ['local', []],
  ['sftp', ['/usr/bin/ssh']],
] as const)('for a target of the kind %s it starts %j', (kind, programs) => {
  const starts = programsStartedFor({ kind } as BackupPlace)

  expect([starts, executableIn({ starts }).slice(LIBRARIES.length)]).toEqual([
    [...programs],
    ['/usr/bin/env', '/usr/lib/locale/C.utf8', '/opt/restic', ...programs],
  ])
})

test('it sees no keys of sshd and no metadata address', () => {
  const { directives } = resticProcess(VIEW)

  expect(directives.filter((line) => /\/etc\/ssh|IPAddress/.test(line))).toEqual(VIEW.denied)
})
