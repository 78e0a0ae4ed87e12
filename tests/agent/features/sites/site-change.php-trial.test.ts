import { expect, test } from 'bun:test'
import { siteConfigure } from '#agent/features/sites/site.configure.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const NOTHING = { code: 0, stdout: '', stderr: '' }
const configure = (host: FakeHost, change: Omit<ParamsOf<'site.configure'>, 'domain'>) =>
  outcome(siteConfigure.run({ domain, ...change }, contextOf(host)))

/** The front page has these statuses with the new values, and then with the former ones. */
function answering(host: FakeHost, ...statuses: number[]): object[] {
  const asked: { values: string[] }[] = []
  const { 'hosting-agent': own } = host.table
  host.table['hosting-agent'] = (machine, argv, options) => {
    if (argv[1] !== 'pages') return own?.(machine, argv, options) ?? { ...NOTHING }
    asked.push(JSON.parse(options.input ?? ''))
    const status = statuses.shift() ?? 200
    return { ...NOTHING, stdout: JSON.stringify([{ path: '/', status, complete: true }]) }
  }
  return asked
}
const BREAKING = { values: { disable_functions: 'mysqli_connect' } }

test.each([
  [500, 'is answered with status 500'],
  [0, 'has no answer'],
])('a value with which the front page fails (%d) changes nothing', async (status, answer) => {
  const host = await server(shop)
  const before = host.disk.all
  const asked = answering(host, status, 200)

  const [lines, message] = await configure(host, { php_settings: BREAKING })

  expect(message).toBe(
    `The front page of ${domain} ${answer} with these values of PHP, and with 200 without them: nothing was changed`,
  )
  expect(lines).toContain('Trying the front page with PHP 8.2 and its new values')
  expect(lines).not.toContain('Applying the PHP pool')
  expect(host.disk.all).toEqual(before)
  const line = 'php_admin_value[disable_functions] = "mysqli_connect"'
  expect(asked).toMatchObject([
    { program: '/usr/sbin/php-fpm8.2', host: domain, paths: ['/'] },
    { docroot: '/srv/www/shop/public' },
  ])
  expect(
    asked.map((each) => JSON.stringify(each).includes(JSON.stringify(line).slice(1, -1))),
  ).toEqual([...[true, false]])
})

test.each([
  ['the page fails anyway', [500, 503]],
  ['the page is a redirect', [302, 200]],
])('a value is applied when %s', async (_, statuses) => {
  const host = await server(shop)
  answering(host, ...statuses)

  const [, result] = await configure(host, { php_settings: BREAKING })

  expect(result).toMatchObject({ php_settings: BREAKING })
})

test('settings of nginx alone try nothing', async () => {
  const host = await server(shop)
  const asked = answering(host, 500, 200)

  await configure(host, { page_cache: { enabled: false, paths: [], cookies: [] } })

  expect(asked).toEqual([])
})
