import { expect, test } from 'bun:test'
import {
  ANYTHING,
  executeDirectives,
  executeInsideDirectives,
  INSIDE_PROGRAMS,
  pathInside,
  STARTED_BY,
  startedInside,
} from '#agent/kernel/host/root-programs.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const OWN = '/usr/local/bin/hosting-agent'
const LIBRARIES =
  '-/usr/lib/x86_64-linux-gnu -/usr/lib/aarch64-linux-gnu -/usr/lib/nginx -/usr/lib/php'

test('the sandbox of the agent executes its own program and those of its table, by their paths', () => {
  expect(pathInside('useradd', OWN)).toBe('/usr/sbin/useradd')
  expect(pathInside('/usr/sbin/sshd', OWN)).toBe('/usr/sbin/sshd')
  expect(pathInside(OWN, OWN)).toBe(OWN)
})

test.each(['perl', 'sh', '/usr/bin/perl', '/tmp/useradd', 'logrotate', 'toString', ''])(
  'the sandbox of the agent does not start %p',
  (program) => {
    expect(() => pathInside(program, OWN)).toThrow(
      `${program} is not one of the programs that the agent starts as root`,
    )
  },
)

test('the table has no interpreter but awk, and no shell', () => {
  const names = Object.values(INSIDE_PROGRAMS).map((path) => path.split('/').at(-1))

  expect(names.filter((name) => /^(perl|python|ruby|php\d|[a-z]*sh)$/.test(name ?? ''))).toEqual([])
})

test('the service of the agent executes no file in a folder that it can write to', () => {
  const [nowhere, allowed, readOnly, ...rest] = executeInsideDirectives(OWN, ['/etc', '/srv'])

  expect(nowhere).toBe(
    'NoExecPaths=/ -/etc -/srv -/dev/shm -/dev/mqueue -/dev/hugepages -/tmp -/var/tmp -/run/user',
  )
  expect(allowed?.split(' ')).toContain('-/usr/sbin/useradd')
  expect(allowed?.split(' ')[0]).toBe(`ExecPaths=-${OWN}`)
  expect(readOnly).toBe(`${allowed?.replace('ExecPaths=', 'BindReadOnlyPaths=')}`)
  expect(rest).toEqual(['SystemCallFilter=~memfd_create'])
})

test('a program has what it starts in the sandbox of the agent, which may execute it', () => {
  const [, allowed = ''] = executeInsideDirectives(OWN, [])

  expect(startedInside('/usr/bin/systemd-run')).toEqual(['/usr/bin/env'])
  expect(startedInside('/usr/bin/tar')).toEqual(['/usr/bin/gzip'])
  expect(startedInside('/tmp/tar')).toEqual([])
  expect(startedInside('/usr/bin/toString')).toEqual([])
  for (const [name, started] of Object.entries(STARTED_BY)) {
    expect(INSIDE_PROGRAMS).toContainKey(name)
    for (const path of started) expect(allowed.split(' ')).toContain(`-${path}`)
  }
})

test('a unit of its own executes the program and what that one starts', () => {
  expect(executeDirectives('ss')).toEqual([
    'NoExecPaths=/',
    `ExecPaths=-/usr/bin/env -/usr/bin/ss ${LIBRARIES}`,
  ])
  expect(executeDirectives('logrotate')).toEqual([
    'NoExecPaths=/',
    `ExecPaths=-/usr/bin/env -/usr/sbin/logrotate -/usr/bin/gzip ${LIBRARIES}`,
  ])
  expect(executeDirectives('/usr/bin/sftp', ['/usr/bin/ssh'])).toEqual([
    'NoExecPaths=/',
    `ExecPaths=-/usr/bin/env -/usr/bin/sftp -/usr/bin/ssh ${LIBRARIES}`,
  ])
})

test('a program that no package of Debian has finds the libraries beside itself', () => {
  expect(executeDirectives('/www/server/nginx/sbin/nginx')).toEqual([
    'NoExecPaths=/',
    `ExecPaths=-/usr/bin/env -/www/server/nginx/sbin/nginx ${LIBRARIES} -/usr/local -/opt -/www/server/nginx`,
  ])
})

test('only packages and the hook of root start what they want', () => {
  expect(executeDirectives('apt-get')).toEqual([])
  expect(executeDirectives('dpkg')).toEqual([])
  expect(executeDirectives('/root/hook', ANYTHING)).toEqual([])
})

test('a unit of its own does not start a program that is not in the table', () => {
  expect(() => executeDirectives('perl')).toThrow('perl is not one of the programs')
  expect(() => executeDirectives('toString')).toThrow('toString is not one of the programs')
})

test('the machine of the unit tests refuses what the agent would refuse', async () => {
  const { shell } = fakeHost()

  await expect(shell.run(['perl', '-v'])).rejects.toThrow('perl is not one of the programs')
  await expect(shell.try(['curl'], { unconfined: true })).rejects.toThrow('curl is not one of')
  expect((await shell.run(['chmod', '0600', '/x'])).code).toBe(0)
})
