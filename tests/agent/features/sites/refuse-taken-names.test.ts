import { expect, test } from 'bun:test'
import { refuseTakenNames } from '#agent/features/sites/refuse-taken-names.ts'
import { type Site, writeSite } from '#agent/kernel/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const other: Site = { ...shop, domain: 'other.example', user: 'other' }
const names = { www: 'serve' as const, aliases: ['alias.example'], redirects: [] }
const arriving: Site = { ...shop, names }

test('accepts names that nobody else has, and the record of the site itself', async () => {
  const host = await server()
  await writeSite(host, arriving)
  await writeSite(host, other)

  expect(await refuseTakenNames(host, arriving)).toBeUndefined()
})

const www = { ...names, aliases: ['www.alias.example'] }
const OWN = '/etc/nginx/sites-enabled/own.conf'

test.each<[string, (host: FakeHost) => unknown, string]>([
  [
    'another site',
    (host) => writeSite(host, { ...other, names: www }),
    'is a name of the site other.example of this server',
  ],
  [
    'a site in the trash',
    (host) => writeSite(host, { ...other, names }, 'trash'),
    'is a name of other.example, which is in the trash of this server',
  ],
  [
    'a virtual host that another program made',
    (host) =>
      host.answer(
        'nginx -T',
        `# configuration file ${OWN}:\nserver { server_name alias.example; }\n`,
      ),
    `is already served by ${OWN} on this server`,
  ],
])('names the alias that %s has', async (_, take, message) => {
  const host = await server()
  await take(host)

  await expect(refuseTakenNames(host, arriving)).rejects.toThrow(`alias.example ${message}`)
})
