import { expect, test } from 'bun:test'
import { installWordpress, setAdminPassword, setUrl } from '#agent/features/wordpress/wordpress.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

test('passes a new password to WordPress on standard input only', async () => {
  const host = fakeHost()
  host.answer('/usr/bin/php8.2', 'anna-x\n')

  const { user, password: secret } = await setAdminPassword(host, shop)
  const password = secret.reveal()

  expect([user, password.length]).toEqual(['anna-x', 24])
  expect(host.runs).toHaveLength(1)
  const [{ line, options } = { line: '', options: {} }] = host.runs
  expect(line).not.toContain(password)
  expect(JSON.stringify(options.env)).not.toContain(password)
  expect(options.input).toContain(password)
  expect(options.site?.user).toBe('shop')
})

test('reports only the errors of wp-cli after a failed installation', async () => {
  const host = fakeHost()
  const output = { code: 1, stdout: 'Admin password: secret', stderr: 'Error: no database\n' }
  host.shell.try = async () => output

  await expect(installWordpress(host, shop, new Secret('x'))).rejects.toThrow(
    /^WordPress was not installed: Error: no database$/,
  )
})

test.each([
  ['anna@shop.example', '--admin_user=anna-'],
  ['A.B+tag@shop.example', '--admin_user=abtag-'],
  ['admin@shop.example', '--admin_user=admin-'],
  ['\'"@shop.example', '--admin_user=owner-'],
])('derives an administrator name from %s that is hard to guess', async (email, start) => {
  const host = fakeHost()

  await installWordpress(host, { ...shop, email }, new Secret('x'))

  const [, name = ''] = /--admin_user=(\S+)/.exec(host.ran[0] ?? '') ?? []
  expect(`--admin_user=${name}`.startsWith(start)).toBe(true)
  expect(name).toMatch(/-[a-z][a-z0-9]{4}$/)
})

test('shows visitors no name that has the random end of the login', async () => {
  const host = fakeHost()

  await installWordpress(host, { ...shop, email: 'anna@shop.example' }, new Secret('x'))

  expect(host.ran[0]).toContain("['user_nicename', 'nickname', 'display_name'], 'anna')")
})

test('changes the scheme of the address and nothing else', async () => {
  const host = fakeHost()

  await setUrl(host, shop, 'https')

  expect(host.runs[0]?.options.input).toContain("set_url_scheme(get_option($name), 'https')")
})
