import { expect, test } from 'bun:test'
import { applicationOf } from '#agent/features/existing/found-application.ts'
import type { Vhost } from '#agent/features/existing/vhosts.ts'
import type { UnknownUpdates } from '#shared/kernel/inventory.ts'
import type { UnknownReason } from '#shared/servers/unknown-reasons.ts'
import { FakeHost } from '#tests/support/fake-host.ts'

const RIGHTS = { user: 'shop', php_user: 'shop', php: '8.2', runs: true }
const VHOST = { docroot: '/var/www/shop', kind: 'site', domain: 'shop.example' } as unknown as Vhost

test.each<[UnknownUpdates, UnknownReason]>([
  ['config_pending', 'config_pending'],
  ['config_slow', 'config_slow'],
  ['config_environment', 'config_environment'],
  ['not_checked', 'no_plain_value'],
])('a database is unknown because of %s: %s', async (why, reason) => {
  const host = new FakeHost()
  host.scanner.application = async () => ({
    framework: 'wordpress',
    wp_version: '6.8.2',
    db_name: '',
    updates: { plugins: null, themes: null, core: null },
    owner: 'shop',
    limit: null,
    unknown_because: why,
  })

  const { unknown } = await applicationOf(host, VHOST, RIGHTS)

  expect(unknown).toEqual({ db_name: reason, updates: why })
})
