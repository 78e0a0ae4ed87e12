import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { deniedAddresses } from '#agent/kernel/host/denied-addresses.ts'
import { ofSite, outside } from '#agent/kernel/host/real/unconfined.ts'

const RESOLVERS = readFileSync('/etc/resolv.conf', 'utf8')

test('runs a program inside the sandbox unless it must run outside', () => {
  expect(outside(['useradd', 'shop'], {})).toEqual([['/usr/sbin/useradd', 'shop'], {}])
})

test('an unconfined program runs in its own unit, without the environment of the agent', () => {
  const options = { unconfined: true, env: { A: '1' }, timeout_ms: 1000 }

  expect(outside(['apt-get', 'update'], options)).toEqual([
    [
      ...['/usr/bin/systemd-run', '--quiet', '--pipe', '--wait', '--collect'],
      ...['--property=RuntimeMaxSec=1', '--property=MemoryMax=2G', '--property=TasksMax=512'],
      '--property=ExecStopPost=+/bin/grep -qzxF EXIT_CODE=exited /proc/self/environ',
      ...deniedAddresses(RESOLVERS)
        .split('\n')
        .map((text) => `--property=${text}`),
      ...['--', 'env', '-i'],
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...['LC_ALL=C.UTF-8', 'HOME=/root', 'A=1', 'apt-get', 'update'],
    ],
    { timeout_ms: 6000 },
  ])
})

test('an unconfined program executes nothing but itself', () => {
  const [argv] = outside(['/usr/bin/id', '$x'], { unconfined: true, user: 'mail' })

  expect(argv.filter((word) => /ExecPaths/.test(word))).toEqual([
    '--property=NoExecPaths=/',
    '--property=ExecPaths=-/usr/bin/env -/usr/bin/id -/usr/bin/setpriv -/usr/bin/perl -/usr/lib/x86_64-linux-gnu -/usr/lib/aarch64-linux-gnu -/usr/lib/nginx -/usr/lib/php',
  ])
})

const shop = {
  user: 'shop',
  slice: 'hosting-shop.slice',
  directives: ['User=shop', 'NoNewPrivileges=yes'],
  launcher: ['setpriv', '--reuid=shop', '--'],
}

test('a program of a site runs in the slice of the site, with its directives and its own umask', () => {
  const options = { site: shop, umask: 0o027, input: 'secret', timeout_ms: 2000 }

  expect(ofSite(['php', 'x'], options, 'systemd')).toEqual([
    [
      ...[
        '/usr/bin/systemd-run',
        '--quiet',
        '--pipe',
        '--wait',
        '--collect',
        '--property=RuntimeMaxSec=2',
      ],
      ...['--property=Slice=hosting-shop.slice', '--property=User=shop'],
      ...['--property=NoNewPrivileges=yes', '--property=UMask=027', '--', 'env', '-i'],
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...['LC_ALL=C.UTF-8', 'HOME=/root', 'php', 'x'],
    ],
    { input: 'secret', timeout_ms: 7000 },
  ])
})

test('without systemd a program that drops privileges starts the program of a site', () => {
  expect(ofSite(['php', 'x'], { site: shop, umask: 0o027 }, 'direct')).toEqual([
    ['setpriv', '--reuid=shop', '--', 'php', 'x'],
    { umask: 0o027 },
  ])
})
