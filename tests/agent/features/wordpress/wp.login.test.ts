import { expect, test } from 'bun:test'
import { LOGIN_PHP_TEXT } from '#agent/features/wordpress/login/install.ts'
import { wpLogin } from '#agent/features/wordpress/wp.login.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'

const HASH = 'ab'.repeat(32)
const VHOST = '/etc/nginx/sites-available/hosting-shop.example.conf'
const PHP = '/usr/bin/php8.2'

const login = (host: FakeHost, user_id: number | null = null) =>
  outcome(wpLogin.run({ domain: shop.domain, user_id, token_hash: HASH }, contextOf(host)))

async function answering(answer: unknown) {
  const host = await server(shop)
  host.answer(PHP, JSON.stringify(answer))
  return host
}

test('installs its program once, and admits the hash of a token as the site', async () => {
  const host = await answering({ login: 'anna', url: 'https://www.shop.example/wp' })

  await host.disk.remove('/usr/local/lib/hosting/login.php')

  const [lines, result] = await login(host)
  const [again] = await login(host, 7)

  expect(lines).toEqual(['Installing the program for logins', 'Preparing a login to shop.example'])
  expect(again).toEqual(['Preparing a login to shop.example'])
  expect(result).toEqual({
    ...{ domain: 'shop.example', user: 'anna' },
    url: 'https://www.shop.example/.well-known/hosting-login',
  })
  expect(host.disk.all['/usr/local/lib/hosting/login.php']).toBe(LOGIN_PHP_TEXT)
  const [first, second] = host.runs.filter(({ line }) => line.startsWith(PHP))
  expect(first?.line).toEndWith(' --skip-plugins --skip-themes eval-file -')
  expect(first?.options.site?.user).toBe('shop')
  expect(first?.options.input).toContain(`'/srv/www/shop/tmp/logins'`)
  expect(first?.options.input).toContain("'role' => 'administrator'")
  expect(first?.options.input).toContain(HASH)
  expect(second?.options.input).toContain("get_user_by('id', 7)")
})

test('the virtual host passes a login to the program alone, and only a POST', async () => {
  const host = await server(shop)

  const [, location = ''] = (host.disk.all[VHOST] ?? '').split(
    '    location = /.well-known/hosting-login {',
  )

  expect(location).toStartWith('\n        limit_except POST {\n            deny all;\n')
  expect(location).toContain('fastcgi_param SCRIPT_FILENAME /usr/local/lib/hosting/login.php;')
})

test('a token never travels over http where the site has a certificate', async () => {
  const host = await answering({ login: 'anna', url: 'http://shop.example' })
  const folder = certificateFolder(shop.domain)
  host.disk.putText(`${folder}/fullchain.pem`, authorityPem)
  host.disk.putText(`${folder}/privkey.pem`, '')

  const [, result] = await login(host)

  expect(result).toMatchObject({ url: 'https://shop.example/.well-known/hosting-login' })
})

test('a token goes to a name of the site only, whatever address WordPress has', async () => {
  const urls = ['https://bank.example', 'javascript:alert(1)', 'ftp://shop.example', '']
  const sent = urls.map(async (url) => {
    const [, result] = await login(await answering({ login: 'anna', url }))
    return (result as { url: string }).url
  })

  const [bank, ...others] = await Promise.all(sent)

  expect(bank).toBe('https://shop.example/.well-known/hosting-login')
  expect(new Set(others)).toEqual(new Set(['http://shop.example/.well-known/hosting-login']))
})

test('says which user is missing', async () => {
  const [, nobody] = await login(await answering({ missing: true }))
  const [, unknown] = await login(await answering({ missing: true }), 9)

  expect([nobody, unknown]).toEqual([
    'shop.example has no administrator',
    'shop.example has no user with the number 9',
  ])
})

test('fails for a site whose WordPress does not start', async () => {
  const host = await server(shop)
  host.fail(PHP, 'Error: Error establishing a database connection')

  const [, reason] = await login(host)

  expect(reason).toBe('The login was not prepared: Error: Error establishing a database connection')
})

test('a login that fails leaves no token', async () => {
  const host = await answering('no answer')
  const token = `/srv/www/shop/tmp/logins/${HASH}`
  host.disk.putText(token, '{}')

  const [, reason] = await login(host)

  expect(reason).toStartWith(
    'The login was not prepared: WordPress of the site ended before it had answered',
  )
  expect(host.disk.find(token)).toBeUndefined()
  const removal = host.runs.find(({ line }) => line === `rm -f -- ${token}`)
  expect(removal?.options.site?.user).toBe('shop')
})
