import { expect, test } from 'bun:test'
import { closeLoginsSteps } from '#agent/features/access/login-closing.ts'
import { reopenLeftoverLogins } from '#agent/features/moves/reopen-logins.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { VHOST } from '#tests/support/agent/moving.ts'
import { anna } from '#tests/support/agent/with-sshd.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const open = { ...shop, access: [anna] }
const isClosed = ({ disk }: FakeHost) => /^shop:!:+2:/m.test(disk.text('/etc/shadow') ?? '')
const NOT_BUSY = () => false

async function closed(site = open) {
  const host = await server(shop)
  await writeSite(host, site)
  for (const step of closeLoginsSteps(host, open)) await step.apply()
  expect(isClosed(host)).toBe(true)
  return host
}

test('opens the accounts of a site that is not frozen any more', async () => {
  const host = await closed()

  await reopenLeftoverLogins(host, NOT_BUSY)

  expect(isClosed(host)).toBe(false)
})

test('leaves the accounts of a frozen site, of a busy one and of a closed copy', async () => {
  const frozen = await closed()
  frozen.disk.putText(`${VHOST}.serving`, '')
  const busy = await closed()
  const copy = await closed({ ...open, moving: { from: ['10.0.0.1'], closed: true } })

  await reopenLeftoverLogins(frozen, NOT_BUSY)
  await reopenLeftoverLogins(busy, (domain) => domain === shop.domain)
  await reopenLeftoverLogins(copy, NOT_BUSY)

  expect([frozen, busy, copy].map(isClosed)).toEqual([true, true, true])
})
