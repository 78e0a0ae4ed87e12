import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { sites } from '#dashboard/db/schema.ts'
import { Staging } from '#shared/staging.ts'
import { hashOf } from '#tests/support/agent/staging.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { events, type MovingServers, movingServers } from '#tests/support/dashboard/moves.ts'

/** A staging site of the shop, on a server. */
async function addStaging(all: MovingServers, server_id: number): Promise<number> {
  const from = { kind: 'site', site_id: all.shop }
  const input = { domain: 'staging.shop-copy.example', from, staging: true, tls: 'none' }
  const { id } = (await all.clone(server_id, input)).body.site
  await until(async () => (await all.site(id)).status === 'active')
  return id
}

const move = (all: MovingServers, id: number, server_id: number) =>
  events(all, 'move', { server_id }, id)

test('a staging site keeps its protection, with its name and password', async () => {
  await using all = await movingServers()
  const staging = await addStaging(all, all.first)

  expect(await move(all, staging, all.second)).toContain('event: complete')

  const [received] = all.two.given.flatMap((each) => each['site.receive'] ?? [])
  const at = `/api/servers/${all.second}/sites/${staging}/staging-password`
  const { user, password } = (await all.dashboard.call('POST', at, {})).body
  const { password_hash, ...others } = Staging.parse(Object(received).staging)
  expect(others).toEqual({ of: 'shop.example', user })
  const salt = Buffer.from(password_hash.slice('{SSHA}'.length), 'base64').subarray(20)
  expect(password_hash).toBe(hashOf(password, salt))
})

test('a staging site on another server can be pushed once it is on that of its live site', async () => {
  await using all = await movingServers()
  const staging = await addStaging(all, all.second)
  const push = () =>
    all.dashboard.call('POST', `/api/servers/${all.first}/sites/${all.shop}/push`, {
      ...{ staging_id: staging, files: true, without_backup: true, dry_run: true },
    })

  const { status, body } = await push()
  expect([status, body.message]).toEqual([
    409,
    'staging.shop-copy.example is on another server than its live site: move it there to compare or push it',
  ])
  expect(await move(all, staging, all.first)).toContain('event: complete')

  expect((await push()).status).toBe(200)
})

test('an agent that does not protect the copy gets no staging site', async () => {
  await using all = await movingServers()
  const staging = await addStaging(all, all.first)
  all.two.agent.works.set('site.receive', async function* ({ domain }) {
    yield 'Receiving'
    return { status: 'ok', domain, certificate: '' }
  })

  const text = await move(all, staging, all.second)

  expect(text).toContain('cannot protect a staging site yet: upgrade it first')
  expect((await all.site(staging)).server_id).toBe(all.first)
  expect(all.asked.slice(-3)).toEqual([
    ['one', 'site.switch', 'settled'],
    ['two', 'site.delete'],
    ['two', 'site.purge'],
  ])
})

test('a staging site whose live site is gone does not move', async () => {
  await using all = await movingServers()
  const staging = await addStaging(all, all.first)
  await all.dashboard.db.write((queries) => queries.delete(sites).where(eq(sites.id, all.shop)))

  const at = `/api/servers/${all.first}/sites/${staging}/move`
  const { status, body } = await all.dashboard.call('POST', at, { server_id: all.second })

  expect([status, body.message]).toEqual([409, 'It is not the staging site of a recorded site'])
})
