import { expect, test } from 'bun:test'
import { mailApply } from '#agent/features/mail/mail.apply.ts'
import { MAIL_PROCESSES, MAIL_UNIT, MAIL_UNIT_PATH } from '#agent/features/mail/service.ts'
import { readMail } from '#agent/features/mail/status.ts'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { sitePurge } from '#agent/features/sites/site.purge.ts'
import { MAIL_PATHS } from '#agent/kernel/mail/paths.ts'
import { mailApply as contract } from '#shared/mail/mail.apply.ts'
import { NO_MAIL } from '#shared/mail/mail.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }
const relay = {
  ...{ host: 'smtp.example.com', port: 587, tls: 'starttls', user: 'agency' },
  password: 'needle-in-the-haystack',
}
const params = (more: object = {}) => contract.params.parse({ ...RULES, relay, ...more })
const apply = (host: FakeHost, more: object = {}) =>
  outcome(mailApply.run(params(more), contextOf(host)))
const settings = async (host: FakeHost, path: string) =>
  JSON.parse((await host.disk.read(path)) ?? 'null')

test('writes the relay settings readable for the queue alone, and starts the queue', async () => {
  const host = await server(shop)

  expect(await apply(host)).toEqual([
    ['Changing the mail settings', 'Removing the previous setting'],
    { relay: true },
  ])
  expect(await settings(host, MAIL_PATHS.server)).toEqual({ ...RULES, relay })
  expect(host.disk.find(MAIL_PATHS.server)?.options).toEqual({ mode: 0o640, group: 'hosting-mail' })
  expect(host.ran).toEqual(['systemctl daemon-reload', `systemctl restart ${MAIL_UNIT}`])
  expect(host.disk.all[MAIL_UNIT_PATH]).toContain('\nUser=hosting-mail\n')
  expect(host.disk.all[MAIL_UNIT_PATH]).toContain('\nCapabilityBoundingSet=\n')
  expect(Object.keys(host.disk.all).filter((path) => path.endsWith('.former'))).toEqual([])
})

test('stops the queue when no relay is left', async () => {
  const host = await server(shop)
  await apply(host)
  await apply(host, { domain: shop.domain })
  await host.disk.write(MAIL_PATHS.socket('shop'), '')

  expect(await apply(host, { relay: null })).toMatchObject([{}, { relay: true }])
  expect(host.disk.all[MAIL_UNIT_PATH]).toBeDefined()
  expect(await apply(host, { relay: null, domain: shop.domain })).toMatchObject([
    {},
    { relay: false },
  ])

  expect(host.disk.all[MAIL_UNIT_PATH]).toBeUndefined()
  expect(await host.disk.read(MAIL_PATHS.socket('shop'))).toBeUndefined()
})

test.each([
  ['there was none', undefined],
  ['there was another one', { ...relay, host: 'former.example.com' }],
])('restores the previous settings when the queue does not start and %s', async (_, before) => {
  const host = await server(shop)
  if (before) await apply(host, { relay: before })
  const former = await settings(host, MAIL_PATHS.server)
  await host.disk.remove(MAIL_PROCESSES)
  host.fail('systemctl restart', 'Job failed')

  const [, reason] = await apply(host, { hourly_limit: 5 })

  expect(reason).toContain('Job failed')
  expect(await settings(host, MAIL_PATHS.server)).toEqual(former)
})

test('refuses an unknown domain, and a password without encryption', async () => {
  const host = await server(shop)

  expect(await apply(host, { domain: 'nobody.example' })).toEqual([
    [],
    'Site nobody.example not found',
  ])
  expect(() => params({ relay: { ...relay, tls: 'none' } })).toThrow('Must not be none')
  expect(params({ relay: { ...relay, tls: 'none', host: '127.0.0.1' } }).relay?.host).toBe(
    '127.0.0.1',
  )
})

test('a site in the trash keeps its setting without a socket, and a purge removes it', async () => {
  const host = await server(shop)
  await apply(host, { domain: shop.domain, from_address: 'info@shop.example' })
  const door = () => host.disk.find(MAIL_PATHS.socketFolder('shop')) !== undefined
  expect(door()).toBe(true)

  await outcome(siteDelete.run({ domain: shop.domain }, contextOf(host)))
  expect([door(), (await settings(host, MAIL_PATHS.site('shop'))).from_address]).toEqual([
    false,
    'info@shop.example',
  ])
  const purge = { domain: shop.domain, confirm: shop.domain, trashed_days: 0 }
  await outcome(sitePurge.run(purge, contextOf(host)))
  expect(await settings(host, MAIL_PATHS.site('shop'))).toBeNull()
})

test('a failed creation of a site leaves no mail files', async () => {
  const host = await server()
  host.fail('systemctl restart hosting-cron', 'no')
  host.pages.set(`http://${shop.domain}/`, '')
  await outcome(siteCreate.run(shop, contextOf(host)))
  expect(
    Object.keys(host.disk.all).filter((path) => path.startsWith(`${MAIL_PATHS.sites}/`)),
  ).toEqual([])
})

test('reports the queue of each site, and nothing where it cannot be read', async () => {
  const host = await server(shop)
  const shown = { ...NO_MAIL, queued: 3 }
  await host.disk.write(MAIL_PATHS.statusOf('shop'), JSON.stringify({ hours: [], shown }))
  expect(await readMail(host)).toEqual({
    running: false,
    sites: [{ ...shown, domain: shop.domain }],
  })
  await host.disk.write(MAIL_PATHS.statusOf('shop'), '{"shown": {"queued": "many"}}')
  expect((await readMail(host)).sites).toEqual([{ ...NO_MAIL, domain: shop.domain }])
})
