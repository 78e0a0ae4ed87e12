import { expect, test } from 'bun:test'
import { siteAccess } from '#agent/features/access/site.access.ts'
import { shop } from '#tests/support/agent/debian.ts'
import {
  anna,
  DROP_IN,
  LIVE,
  photos,
  print,
  setAccess,
  setClients,
  TRIAL,
  withSshd,
} from '#tests/support/agent/with-sshd.ts'

const { domain } = shop

test('a client account has the number of the site, a password, and no secret in a command', async () => {
  const host = await withSshd()
  const before = host.disk.all

  const [lines, result] = await setClients(host, [print])

  expect(lines).toEqual([
    'Changing who may log in to shop.example',
    'Writing the keys of people',
    'Creating the group hosting-client',
    'Preparing the client accounts',
    'Configuring the SSH server',
    'Setting the passwords of client accounts',
    'Ending sessions without access',
    'Recording the access',
  ])
  expect(result).toMatchObject({
    grants: [],
    clients: [{ token: 'abcd2345', login: 'shop.abcd2345', expires_at: null }],
  })
  const line = (path: string, name: string) =>
    host.disk.all[path]?.split('\n').find((text) => text.startsWith(`${name}:`))
  const [, , uid, gid] = line('/etc/passwd', 'shop')?.split(':') ?? []
  expect(line('/etc/passwd', 'shop.abcd2345')).toBe(
    `shop.abcd2345:x:${uid}:${gid}:Client of shop:/srv/www/shop:/usr/sbin/nologin`,
  )
  expect(line('/etc/shadow', 'shop.abcd2345')).toBe(`shop.abcd2345:${print.password_hash}:::::::`)
  expect(line('/etc/group', 'hosting-client')).toBe('hosting-client:x:999:shop.abcd2345')
  expect(host.ran.join('\n')).not.toContain(print.password_hash)

  await setClients(host, [])

  const after = host.disk.all
  for (const path of [
    '/etc/passwd',
    '/etc/shadow',
    `${host.settings.state_dir}/sites/${domain}.json`,
  ])
    expect(after[path]).toBe(before[path] ?? '')
})

test.each([TRIAL, LIVE])(
  'no password is set where sshd would not confine it (%s)',
  async (asked) => {
    const host = await withSshd()
    if (asked === LIVE) await setClients(host, [photos])
    const before = host.disk.all
    host.answer(`${asked} user=shop.abcd2345,`, 'chrootdirectory none\nusepam yes\n')

    const [, error] = await setClients(host, asked === LIVE ? [photos, print] : [print])

    expect(error).toContain('sshd would not confine shop.abcd2345 to its site')
    expect(error).toContain('ChrootDirectory is none instead of %h')
    expect(host.disk.all['/etc/shadow']).toBe(before['/etc/shadow'] ?? '')
    expect(host.disk.all['/etc/passwd']).toBe(before['/etc/passwd'] ?? '')
    expect(host.disk.all[DROP_IN]).toBe(before[DROP_IN] as string)
  },
)

test('sessions end with a removed account, an earlier end and a new password, and only then', async () => {
  const host = await withSshd()
  const ends = () => host.ran.filter((line) => line.includes('--name sshd')).length
  await setClients(host, [print])
  await setClients(host, [print, photos])
  await setClients(host, [print, { ...photos, expires_at: null }])
  await setClients(host, [
    { ...print, label: 'Printer' },
    { ...photos, expires_at: null },
  ])
  expect(ends()).toBe(0)

  await setClients(host, [print, photos])
  expect(ends()).toBe(2)
  await setClients(host, [{ ...print, password_hash: photos.password_hash }, photos])
  expect(ends()).toBe(4)
  await setClients(host, [photos])
  expect(ends()).toBe(6)
})

test.each(['useradd', 'sshd -t', 'chpasswd', 'systemctl reload ssh', 'start-stop-daemon'])(
  'after a failure of %s the accounts are as before',
  async (program) => {
    const host = await withSshd()
    await setClients(host, [print], [anna])
    await host.disk.remove(DROP_IN)
    const before = host.disk.all
    const failing = program === 'sshd -t' ? '/usr/sbin/sshd -t' : program
    host.fail(failing, 'no')

    const [, error] = await setClients(host, [
      { ...print, password_hash: photos.password_hash },
      photos,
    ])

    expect(error).toBeString()
    for (const path of ['/etc/passwd', '/etc/shadow', '/etc/group', '/etc/hosting/ssh/keys/shop'])
      expect([path, host.disk.all[path]]).toEqual([path, before[path]])
  },
)

test('taking an account away is not refused by a server without sshd', async () => {
  const host = await withSshd()
  await setClients(host, [print, photos], [anna])
  await host.disk.remove('/usr/sbin/sshd')

  const [, result] = await setClients(host, [photos], [anna])

  expect(result).toMatchObject({ clients: [{ token: 'efgh2345' }] })
  const [, none] = await setAccess(host, [])
  expect(none).toMatchObject({ grants: [], clients: [] })
})

test('the plan names the account, and never its password', async () => {
  const host = await withSshd()
  const params = { domain, grants: [], clients: [print], install: false }

  const steps = await siteAccess.plan(params, host)
  const effects = await Promise.all(
    steps.map(async ({ effects }) => (typeof effects === 'function' ? effects() : effects)),
  )

  const text = JSON.stringify(effects)
  expect(text).toContain('shop.abcd2345')
  expect(text).not.toContain(print.password_hash)
})
