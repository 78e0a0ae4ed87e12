import { expect, test } from 'bun:test'
import { loginHostsOf, refuseForeign } from '#dashboard/features/wordpress/wp.login.ts'
import { NO_NAMES } from '#shared/kernel/site-names.ts'
import { LOGIN_PATH } from '#shared/wordpress/login-path.ts'

const PATH = '/.well-known/hosting-login'
const names = { ...NO_NAMES, aliases: ['shop.test', '*.shop.test'] }
const hosts = loginHostsOf({ domain: 'shop.example', names })

test('the token of a login may be sent to the names of the site', () => {
  const redirected = loginHostsOf({
    domain: 'www.shop.example',
    names: {
      ...{ www: 'redirect', aliases: ['www.shop.test'] },
      redirects: [{ domain: 'old.example', status: 301, keep_path: true }],
    },
  })

  expect({ hosts, redirected, LOGIN_PATH }).toEqual({
    hosts: ['shop.example', 'www.shop.example', 'shop.test'],
    redirected: ['www.shop.example', 'shop.example', 'www.shop.test'],
    LOGIN_PATH: PATH,
  })
})

test.each([
  [`https://shop.example${PATH}`, { encrypted: true }],
  [`https://www.shop.example${PATH}`, { encrypted: true }],
  [`https://shop.test${PATH}`, { encrypted: false }],
  [`http://shop.example${PATH}`, { encrypted: false }],
])('%s is one of them', (url, { encrypted }) => {
  expect(() => refuseForeign(url, { hosts, encrypted })).not.toThrow()
})

test.each([
  `http://shop.example${PATH}`,
  `http://localhost${PATH}`,
  'http://localhost/api/servers/2/sites/4/db-password',
  'http://localhost/api/keys/rotate',
  'https://shop.example/api/auth/logout-everywhere',
  `https://evil.example${PATH}`,
  `https://shop.example.evil.example${PATH}`,
  `https://shop.example@evil.example${PATH}`,
  `https://evil.example#@shop.example${PATH}`,
  `https://evil.example\\@shop.example${PATH}`,
  `https://x.shop.test${PATH}`,
  `https://shop.example:8443${PATH}`,
  `https://SHOP.example${PATH}`,
  `https://shop.example.${PATH}`,
  `https://shop.example${PATH}?to=https://evil.example`,
  `https://shop.example${PATH}#x`,
  `https://shop.example${PATH}/../../wp-login.php`,
  `https://shop.example//evil.example${PATH}`,
  `https:shop.example${PATH}`,
  `ftp://shop.example${PATH}`,
])('%s is none of them', (url) => {
  expect(() => refuseForeign(url, { hosts, encrypted: true })).toThrow(
    'The server returned the address of another site for the login: nothing was sent there',
  )
})
