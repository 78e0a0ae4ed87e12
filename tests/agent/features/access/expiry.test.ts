import { expect, test } from 'bun:test'
import { ExpiryWatch } from '#agent/features/access/expiry.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { ANNA } from '#tests/support/ssh-keys.ts'

test('sessions of a site end when the access of somebody expires, once', async () => {
  const host = await server(shop)
  const expires_at = new Date(host.clock.now() + 60_000).toISOString()
  const grant = { id: 1, person: 'Anna', kind: 'sftp' as const, expires_at, keys: [ANNA] }
  await writeSite(host, { ...shop, access: [grant] })
  const watch = new ExpiryWatch()
  const ends = () => host.ran.filter((line) => line.endsWith('--user shop --name sshd')).length

  await watch.look(host)
  expect(ends()).toBe(0)
  host.time += 61_000
  await watch.look(host)
  await watch.look(host)

  expect(ends()).toBe(1)
})
