import { expect, test } from 'bun:test'
import { mail_settings } from '#dashboard/kernel/db/mail-schema.ts'
import { events, type MovingServers, movingServers } from '#tests/support/dashboard/moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const RELAY = { host: 'relay.example', port: 587, tls: 'starttls', user: 'shop' }
const SETTING = { relay: { ...RELAY, password: 'a secret of the relay' }, hourly_limit: 7 }

/** Both agents set mail; returns the calls of each, by its name. The first one has the settings. */
async function withMail(all: MovingServers): Promise<[string, Record<string, unknown>][]> {
  const asked: [string, Record<string, unknown>][] = []
  for (const name of ['one', 'two'] as const)
    all[name].agent.works.set('mail.apply', async function* (params) {
      asked.push([name, params])
      yield 'Changing the mail settings'
      return { relay: true }
    })
  const { dashboard, first, shop } = all
  const at = `/api/servers/${first}/sites/${shop}/mail`
  expect(await (await dashboard.send('PUT', at, SETTING)).text()).toContain('event: complete')
  return asked
}

const homes = async ({ dashboard: { db } }: MovingServers) =>
  (await db.read.select().from(mail_settings)).map(({ server_id }) => server_id)

test('a move sets the mail of the site on the new server before it serves, with the password', async () => {
  await using all = await movingServers()
  const asked = await withMail(all)

  const text = await events(all, 'move', { server_id: all.second })

  expect(text).toContain('event: complete')
  expect(asked.map(([name]) => name)).toEqual(['one', 'two'])
  expect(asked[1]?.[1]).toEqual(asked[0]?.[1] as never)
  expect(asked[1]?.[1]).toMatchObject({ domain: 'shop.example', ...SETTING })
  expect(text.indexOf('Changing the mail settings on')).toBeLessThan(text.indexOf('Freezing'))
  expect(text).not.toContain('a secret of the relay')
  expect(await homes(all)).toEqual([all.second])

  const { dashboard, site, shop } = all
  const { server_id } = await site(shop)
  const back = `/api/servers/${server_id}/sites/${shop}/move-back`
  await (await dashboard.send('POST', back, { discard_changes: false })).text()
  expect(asked.map(([name]) => name)).toEqual(['one', 'two', 'one'])
  expect(await homes(all)).toEqual([all.first])
})

test('a server that refuses the settings gets the site, with a warning', async () => {
  await using all = await movingServers()
  await withMail(all)
  all.two.agent.works.set('mail.apply', async function* () {
    yield 'Changing the mail settings'
    throw new Refused({ error: 'Forbidden', message: 'The policy of this server forbids it' })
  })

  const text = await events(all, 'move', { server_id: all.second })

  expect(text).toContain('event: complete')
  expect(text).toMatch(
    /Warning: shop\.example has the mail settings of \S+ until its own are set again: The policy/,
  )
})
