import { expect, test } from 'bun:test'
import { siteUpdate } from '#agent/features/sites/site.update.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { contextOf, outcome, server } from '#tests/support/agent/debian.ts'
import { copy, STAGING } from '#tests/support/agent/staging.ts'

const VHOST = '/etc/nginx/sites-available/hosting-staging.shop.example.conf'
const PASSWORDS = '/etc/hosting/staging/staging-shop.htpasswd'

async function served() {
  const host = await server(copy)
  await nginx.apply(host, copy, undefined).apply()
  return host
}

test('a staging site asks for a password everywhere but for tokens and robots.txt', async () => {
  const host = await served()
  const text = host.disk.all[VHOST] ?? ''

  const [before = '', ...locations] = text.split('    location ')
  expect(before).toContain(
    `    auth_basic "Staging site";\n    auth_basic_user_file ${PASSWORDS};\n`,
  )
  expect(before).toContain('add_header X-Robots-Tag "noindex, nofollow" always;\n')
  expect(
    locations.filter((one) => one.includes('auth_basic')).map((one) => one.split(' {')[0]),
  ).toEqual(['^~ /.well-known/acme-challenge/', '= /robots.txt'])
  expect(text).toContain('return 200 "User-agent: *\\nDisallow: /\\n";')
})

test('the password is for nginx alone: neither PHP nor another site receives it', async () => {
  const host = await served()

  expect(host.disk.all[PASSWORDS]).toEndWith(`\nstaging:${STAGING.password_hash}\n`)
  expect(host.disk.find(PASSWORDS)?.options).toEqual({ mode: 0o640, group: 'www-data' })
  expect(host.disk.all[VHOST]).toContain('fastcgi_param HTTP_AUTHORIZATION "";')
})

test('pages of a staging site are not cached', async () => {
  const text = (await served()).disk.all[VHOST] ?? ''

  expect(text).not.toContain('fastcgi_cache')
  expect(text).toContain('fastcgi_pass unix:')
})

test('a change of the site keeps its protection, and its removal forgets the password', async () => {
  const host = await served()
  await writeSite(host, copy)
  const change = { domain: copy.domain, tier: 'medium', xmlrpc: false } as const

  const [, result] = await outcome(siteUpdate.run(change, contextOf(host)))

  expect(result).toMatchObject({ tier: 'medium' })
  expect(host.disk.all[VHOST]).toContain('auth_basic "Staging site";')
  await nginx.remove(host, copy).apply()
  expect(await host.files.stat(PASSWORDS)).toBeUndefined()
})

test('a configuration that nginx refuses leaves no password', async () => {
  const host = await server()
  host.fail('nginx -t', 'bad')

  await expect(nginx.apply(host, copy, undefined).apply()).rejects.toThrow('bad')

  expect(await host.files.stat(PASSWORDS)).toBeUndefined()
})
