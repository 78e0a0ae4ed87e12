import { expect, test } from 'bun:test'
import * as fpm from '#agent/features/php/fpm.ts'
import { pausedPathOf } from '#agent/features/php/fpm-files.ts'
import { pausePools, removePoolsAndSlice } from '#agent/features/php/fpm-removal.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const PAUSED = pausedPathOf(shop.user)

test('a site is paused from the stop of its PHP until it runs again', async () => {
  const host = await server(shop)
  const isPaused = async () => (await host.disk.stat(PAUSED)) !== undefined
  const before = await isPaused()

  await pausePools(host, shop).apply()
  const paused = await isPaused()
  await fpm.apply(host, shop).apply()

  expect([before, paused, await isPaused()]).toEqual([false, true, false])
})

test('a removed site leaves no trace of a pause', async () => {
  const host = await server(shop)
  await pausePools(host, shop).apply()

  await removePoolsAndSlice(host, shop).apply()

  expect(await host.disk.stat(PAUSED)).toBeUndefined()
})

test('a paused site answers 503 with Retry-After in place of 502 and 404 of programs', async () => {
  const host = await server(shop)

  await nginx.apply(host, shop, undefined).apply()

  const text = host.disk.all['/etc/nginx/sites-available/hosting-shop.example.conf'] ?? ''
  expect(text).toContain('    error_page 502 = @hosting_paused;\n')
  expect(text).toContain('try_files $uri @hosting_missing;')
  const locations = text.split('    location @hosting_').slice(1)
  for (const [at, status] of [502, 404].entries()) {
    expect(locations[at]).toContain(`if (-f ${PAUSED}) {\n            add_header Retry-After 10`)
    expect(locations[at]).toContain(`        return ${status};\n    }\n`)
  }
})
