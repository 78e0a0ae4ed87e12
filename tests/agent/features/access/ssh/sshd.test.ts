import { expect, test } from 'bun:test'
import { siteAccess } from '#agent/features/access/site.access.ts'
import { done } from '#agent/kernel/host/simulated/programs/output.ts'
import { shop } from '#tests/support/agent/debian.ts'
import {
  anna,
  ben,
  CONFINED,
  DROP_IN,
  setAccess,
  TRIAL,
  withSshd,
} from '#tests/support/agent/with-sshd.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop

test('the SSH server is configured once', async () => {
  const host = await withSshd()
  await setAccess(host, [anna])
  host.runs.length = 0

  const [lines] = await setAccess(host, [anna, ben])

  expect(lines).not.toContain('Configuring the SSH server')
  expect(host.ran.filter((line) => line.includes('reload'))).toEqual([])
})

test.each([
  {
    what: 'sshd refuses it',
    make: (host: FakeHost) => host.fail('/usr/sbin/sshd -t', 'line 3: bad option'),
    message: 'line 3: bad option',
  },
  {
    what: 'an earlier block of an administrator wins',
    make: (host: FakeHost) =>
      host.answer(`${TRIAL} user=shop,`, CONFINED.replace('permittty no', 'permittty yes')),
    message: 'PermitTTY is yes instead of no',
  },
  {
    what: 'sshd would admit nobody but a list',
    make: (host: FakeHost) => host.answer(`${TRIAL} user=shop,`, `${CONFINED}allowusers ops\n`),
    message: 'allowusers decides who may log in',
  },
  {
    what: 'the session of root would change',
    make: (host: FakeHost) => host.answer(`${TRIAL} user=root,`, 'permittty no\n'),
    message: 'would treat root differently',
  },
])('nothing is left when $what', async ({ make, message }) => {
  const host = await withSshd()
  await setAccess(host, [anna])
  await setAccess(host, [])
  await host.disk.remove(DROP_IN)
  const before = host.disk.all
  make(host)

  const [, error] = await setAccess(host, [anna])

  expect(error).toContain(message)
  expect(host.disk.all).toEqual(before)
})

test('an untested file never stands where sshd reads it', async () => {
  const host = await withSshd()
  let seen = 'nothing'
  host.table.sshd = ({ disk }, argv) => {
    if (argv.includes('-t')) seen = disk.text(DROP_IN) ?? 'not there'
    return done()
  }

  await setAccess(host, [anna])

  expect(seen).toBe('not there')
})

test.each([
  { config: 'UsePAM yes\n', is: 'refused' },
  { config: 'Match User x\nInclude /etc/ssh/sshd_config.d/*.conf\n', is: 'refused' },
  { config: '#Include /etc/ssh/sshd_config.d/*.conf\n', is: 'refused' },
  { config: 'Port 22\n  include "/etc/ssh/sshd_config.d/*.conf"\n', is: 'accepted' },
])('a server with $config is $is', async ({ config, is }) => {
  const host = await withSshd(config)

  const [, result] = await setAccess(host, [anna])

  const isRefused = typeof result === 'string' && result.includes('does not read')
  expect(isRefused ? 'refused' : 'accepted').toBe(is)
})

test('a server without an SSH server gets one on request only', async () => {
  const host = await withSshd()
  await host.disk.remove('/usr/sbin/sshd')

  const [, refusal] = await setAccess(host, [anna])
  const plan = await siteAccess.plan({ domain, grants: [anna], clients: [], install: true }, host)

  expect(refusal).toContain('openssh-server is not installed')
  expect(plan.map(({ name }) => name)).toContain('ssh package')
  const [, without] = await setAccess(host, [])
  expect(without).toMatchObject({ grants: [] })
})
