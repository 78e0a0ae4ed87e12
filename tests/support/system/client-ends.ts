import { expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { ClientWorld } from './client-world.ts'
import { endOf } from './dashboard.ts'
import { get } from './requests.ts'

const MINUTES = 60_000

/** The ways in which a client account ends. */
export function clientEnds(of: () => ClientWorld): void {
  test(
    'a removed account loses its live session, and no other process ends',
    async () => {
      const { host, shop, client, ...world } = parts(of())
      const { token, login, password } = await world.create('Leaving')
      const stays = await world.create('Staying')
      await get(host, `http://${shop.domain}/`)
      const pools = () => host.must(['pgrep', '-u', shop.user, '-f', 'php-fpm: master'])
      const before = await pools()
      const session = await client.stay(login, password)
      expect(await lab.poll(() => of().hasSession(shop))).toBe(true)

      expect(await of().end(shop, token)).toBe(200)

      expect(await session.exited).toBe(255)
      expect(await of().hasSession(shop)).toBe(false)
      expect(await pools()).toBe(before)
      expect((await host.exec(['getent', 'passwd', login])).code).toBe(2)
      expect(await client.logsIn(login, password)).toBe(255)
      expect(await client.logsIn(stays.login, stays.password)).toBe(0)
      expect(await of().access.rootLogsIn()).toBe('root')
    },
    3 * MINUTES,
  )

  test(
    'with a new password the previous one is refused, and its session ends',
    async () => {
      const { shop, client, ...world } = parts(of())
      const { token, login, password } = await world.create('Forgetful')
      const session = await client.stay(login, password)
      expect(await lab.poll(() => of().hasSession(shop))).toBe(true)

      const again = await of().reset(shop, token)

      expect(await session.exited).toBe(255)
      expect([again.login, again.password === password]).toEqual([login, false])
      expect(await client.logsIn(login, password)).toBe(255)
      expect(await client.logsIn(login, again.password)).toBe(0)
    },
    3 * MINUTES,
  )

  test(
    'an expired account is refused, and its session ends',
    async () => {
      const { client, ...world } = parts(of())
      const at = new Date(Date.now() + 15_000).toISOString()
      const { login, password } = await world.create('For a moment', at)
      const session = await client.stay(login, password)
      expect(await client.logsIn(login, password)).toBe(0)

      const isOver = async () => (await client.logsIn(login, password)) === 255

      expect(await lab.poll(isOver, { timeout_ms: 90_000 })).toBe(true)
      expect(await session.exited).toBe(255)
    },
    3 * MINUTES,
  )

  test(
    'the trash keeps the accounts closed, and a restore opens them',
    async () => {
      const { shop, client, ...world } = parts(of())
      const { login, password } = await world.create('Trashed')
      expect(await of().access.run('DELETE', shop, '')).toBe('complete')
      expect(await client.logsIn(login, password)).toBe(255)

      expect(await of().access.run('POST', shop, '/restore')).toBe('complete')

      expect(await client.logsIn(login, password)).toBe(0)
    },
    4 * MINUTES,
  )

  test(
    'logins are in the activity with the account',
    async () => {
      const { shop } = of()
      await of().access.tenants.sync()

      const { logins } = await of().shown(shop)

      expect(logins[0]).toMatchObject({ address: '127.0.0.1', person: null, client: 'Trashed' })
      const { dashboard } = of().access.tenants.world
      const { body } = await dashboard.call('GET', '/api/activity?type=site.client_login')
      expect(body.activities).toContainEqual(expect.objectContaining({ domain: shop.domain }))
    },
    2 * MINUTES,
  )

  test(
    'a permanently deleted site leaves no account',
    async () => {
      const { host, victim, client } = of()
      const { login, password } = await of().create(victim, 'Last')
      expect(await client.logsIn(login, password)).toBe(0)
      expect(await of().access.run('DELETE', victim, '')).toBe('complete')
      const { dashboard, path } = of().access.tenants.world
      const body = { domain: victim.domain }
      const answer = await dashboard.call('POST', path(`/sites/${victim.id}/purge`), body)
      expect((await endOf(dashboard, answer)).event).toBe('complete')

      const passwd = await host.must(['cat', '/etc/passwd', '/etc/shadow', '/etc/group'])

      expect(passwd).not.toContain(victim.user)
    },
    4 * MINUTES,
  )
}

function parts(world: ClientWorld) {
  const { host, shop, client } = world
  const create = (label: string, at?: string) => world.create(shop, label, at)
  return { host, shop, client, create }
}
