import { expect, test } from 'bun:test'
import { byKey, escapes } from '#agent/features/isolation/login.ts'
import { socketOf } from '#agent/features/object-cache/paths.ts'
import { socketOf as fpmSocketOf } from '#agent/features/php/fpm-files.ts'
import { purgeSocketOf } from '#agent/features/web/page-purge/paths.ts'
import { MAIL_PATHS } from '#agent/kernel/mail/paths.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const neighbour = { ...shop, domain: 'b.example', user: 'other' }
const SOCKETS = [
  ...['/run/mysqld/mysqld.sock', '/run/hosting-agent/root.sock', MAIL_PATHS.socket('other')],
  ...[socketOf('other'), fpmSocketOf(neighbour), purgeSocketOf('other')],
]

/** Each call of ssh or sftp answers so. */
async function did(
  answer: (argv: readonly string[], input: string) => [number, string],
  reached: readonly string[] | null = [],
  tried: string[] = [],
) {
  const host = await server(shop)
  const attempt = host.shell.try
  host.shell.try = async (argv, options) => {
    if (/\/php8\.2$/.test(argv[0] ?? '')) {
      tried.push(...JSON.parse(options?.input ?? '').sockets)
      return { code: 0, stdout: JSON.stringify(reached), stderr: '' }
    }
    if (!/\/(ssh|sftp)$/.test(argv[0] ?? '')) return attempt(argv, options)
    const [code, stdout] = answer(argv, options?.input ?? '')
    return { code, stdout, stderr: '' }
  }
  const scene = {
    ...{ host, attacker: shop, neighbour, random: 'r', secret: 's', key: 'k' },
    about: { pid: 71, ppid: 70, prefix: 'wp_' },
    scan: () => Promise.reject(new Error('not scanned')),
  }
  return escapes(scene, byKey('shop', '/key'), byKey('other', '/key'))
}

test('a login that is confined did nothing, although sftp repeats its commands', async () => {
  const echo = (input: string) => input.replace(/^/gm, 'sftp> ')

  expect(await did((_, input) => [255, echo(input)])).toEqual([])
})

test.each([
  '/etc/ssh/sshd_config',
  '/srv/www/other/public/wp-config.php',
  '/srv/www/other/tmp/logins/isolation',
  `tmp/logins/${'ab'.repeat(32)}`,
  '/run/hosting-objects/0123456789abcdef0123456789abcdef',
  '/run/hosting-fpm/0123456789abcdef0123456789abcdef.sock',
  '/run/hosting-purge/0123456789abcdef0123456789abcdef.sock',
  '/run/hosting-agent/root.sock',
])('finds that it listed %s', async (path) => {
  const answer = (argv: readonly string[]): [number, string] =>
    argv[0]?.endsWith('sftp') ? [1, `sftp> ls\n${path}\n`] : [255, '']

  expect(await did(answer)).toEqual(['listed folders outside of its site'])
})

test.each(SOCKETS)('finds that it reached %s', async (socket) => {
  const tried: string[] = []

  expect(await did(() => [255, ''], [socket], tried)).toEqual([`reached ${socket}`])
  expect(tried).toEqual(SOCKETS)
})

test('fails if the sockets could not be tried', () => {
  expect(did(() => [255, ''], null)).rejects.toThrow('ssh has forwarded no socket')
})
