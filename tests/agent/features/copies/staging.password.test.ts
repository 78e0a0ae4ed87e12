import { expect, test } from 'bun:test'
import { stagingPassword } from '#agent/features/copies/staging.password.ts'
import { getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const PASSWORDS = '/etc/hosting/staging/shop.htpasswd'
const [FORMER, NEW] = ['a', 'b'].map((each) => `{SSHA}${each.repeat(40)}`) as [string, string]

async function staging() {
  const host = await server(shop)
  const access = { of: 'live.example', user: 'anna', password_hash: FORMER }
  await writeSite(host, { ...(await getSite(host, domain)), staging: access })
  return host
}
const change = (host: FakeHost, password_hash = NEW) =>
  outcome(stagingPassword.run({ domain, password_hash }, contextOf(host)))

test('replaces the hash that nginx reads, and that of the record', async () => {
  const host = await staging()

  const [, result] = await change(host)

  expect(result).toEqual({ domain })
  expect(host.disk.all[PASSWORDS]).toContain(`anna:${NEW}\n`)
  expect((await getSite(host, domain)).staging).toEqual({
    ...{ of: 'live.example', user: 'anna', password_hash: NEW },
  })
})

test('refuses a site that is no staging site', async () => {
  const host = await server(shop)

  const [, message] = await change(host)

  expect(message).toBe('shop.example is not a staging site: it has no staging password')
  const params = { domain, password_hash: NEW }
  await expect(stagingPassword.plan?.(params, host)).rejects.toThrow('is not a staging site')
})
