import { beforeAll, expect, test } from 'bun:test'
import { commands } from '#agent/commands.ts'
import { WHOLE_SERVER } from '#agent/kernel/steps/command.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { COMMAND_NAMES } from '#shared/contracts.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

/** The locks that are not the domain of the site without `www.`; undefined: none. */
const OTHERS: Partial<Record<CommandName, string | undefined>> = {
  'agent.upgrade': WHOLE_SERVER,
  'backup.check': 'hosting-check',
  'backup.create': `backup of ${shop.domain}`,
  'backup.prove': 'proof',
  'database.user-end': undefined,
  'isolation.check': 'isolation',
  'mail.check': undefined,
  'server.provision': WHOLE_SERVER,
  'server.update': WHOLE_SERVER,
  'service.restart': 'service nginx',
  'site.compare': undefined,
  'site.rename-preview': undefined,
  'updates.configure': WHOLE_SERVER,
  'wp.scan': undefined,
}

let host: FakeHost
beforeAll(async () => {
  host = await server(shop)
})

const lockOf = async <N extends CommandName>(name: N, params: object) =>
  (await commands[name]()).lock(params as ParamsOf<N>, host)

test.each(COMMAND_NAMES)('%s takes the lock of its site, or its own one', async (name) => {
  const params = { domain: `www.${shop.domain}`, user: shop.user, service: 'nginx' }

  expect(await lockOf(name, params)).toBe(name in OTHERS ? OTHERS[name] : shop.domain)
})

test('the settings of mail of the server have a lock of their own', async () => {
  expect(await lockOf('mail.apply', {})).toBe('mail')
})
