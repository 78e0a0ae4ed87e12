import { expect, test } from 'bun:test'
import { outside } from '#agent/host/real/outside.ts'

test('a program stays inside the sandbox unless it must not', () => {
  expect(outside(['useradd', 'shop'], {})).toEqual([['useradd', 'shop'], {}])
})

test('what is unconfined runs in a unit of its own, with nothing of the agent’s environment', () => {
  const options = { unconfined: true, env: { A: '1' }, timeout_ms: 1000 }

  expect(outside(['apt-get', 'update'], options)).toEqual([
    [
      ...['systemd-run', '--quiet', '--pipe', '--wait', '--collect'],
      ...['--property=RuntimeMaxSec=1', '--', 'env', '-i'],
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...['LC_ALL=C.UTF-8', 'HOME=/root', 'A=1', 'apt-get', 'update'],
    ],
    { timeout_ms: 6000 },
  ])
})

test('outside too a program of a site has no privileges and its own umask', () => {
  const options = { unconfined: true, user: 'shop', umask: 0o027, input: 'secret' }

  const [argv, rest] = outside(['php', 'x'], options)

  expect(rest).toEqual({ input: 'secret', timeout_ms: 605_000 })
  expect(argv).toContain('--property=UMask=027')
  expect(argv.slice(argv.indexOf('setpriv'))).toEqual([
    ...['setpriv', '--reuid=shop', '--regid=shop', '--init-groups', '--no-new-privs'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--', 'php', 'x'],
  ])
})

test('systemd replaces nothing in what the program is given', () => {
  const [argv] = outside(['php', '$x', '--exec=$GLOBALS'], { unconfined: true })

  expect(argv.slice(-3)).toEqual(['php', '$$x', '--exec=$$GLOBALS'])
})
