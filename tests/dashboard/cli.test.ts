import { describe, expect, test } from 'bun:test'
import { runCommand } from '#dashboard/cli.ts'
import { readConfig } from '#dashboard/config.ts'

async function run(...argv: string[]) {
  const said = { out: '', err: '' }
  const status = await runCommand(argv, () => readConfig({ DATA_DIR: '/nowhere' }), {
    out: (text) => {
      said.out += text
    },
    err: (text) => {
      said.err += text
    },
    read: async () => 'no such file',
  })
  return { status, ...said }
}

describe('the commands of the dashboard', () => {
  test.each([
    [['backup'], 2, 'The path of the new backup is missing: see --help\n'],
    [['backup', 'a', 'b'], 2, 'backup takes one path: see --help\n'],
    [['restore', 'a', '--with-secrets'], 2, '--with-secrets is for backup\n'],
    [['forget'], 2, 'forget is not a command: see --help\n'],
    [['check', '--fix'], 2, 'Unknown option: see --help\n'],
    [['first-login', 'x'], 2, 'first-login takes no path: see --help\n'],
    [
      ['first-login'],
      1,
      'There is no first login to show: it was shown before, or ADMIN_PASSWORD was set\n',
    ],
    [['kit', 'x'], 2, 'kit takes no path: see --help\n'],
    [
      ['kit'],
      1,
      'There is no database at /nowhere/dashboard.db: check DATA_DIR and DATABASE_URL\n',
    ],
    [['keep-recovery', 'x'], 2, 'keep-recovery takes no path: see --help\n'],
    [
      ['keep-recovery'],
      1,
      'It cannot be kept in /nowhere: It is not a file of hosting-control save-release-key\n',
    ],
    [['verify-record', '/nowhere'], 1, '/nowhere cannot be read (ENOENT)\n'],
    [
      ['verify-record'],
      1,
      'There is no database at /nowhere/dashboard.db: check DATA_DIR and DATABASE_URL\n',
    ],
    [['check', '/nowhere'], 1, '/nowhere cannot be read\n'],
    [
      ['check'],
      1,
      'There is no database at /nowhere/dashboard.db: check DATA_DIR and DATABASE_URL\n',
    ],
  ])('%j is refused in one line', async (argv, status, err) => {
    expect(await run(...argv)).toEqual({ status, out: '', err })
  })

  test.each([['--help'], ['-h'], ['help'], ['backup --help']])(
    '%s prints the usage',
    async (line) => {
      const { status, out } = await run(...line.split(' '))

      expect(status).toBe(0)
      for (const name of [
        'backup',
        'restore',
        'check',
        'verify-record',
        'first-login',
        'make-owner',
        'reset-factors',
        'save-release-key',
        '--with-secrets',
      ])
        expect(out).toContain(name)
    },
  )
})
