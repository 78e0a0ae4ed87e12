import { expect, test } from 'bun:test'
import { actionOf, SITE_ACTIONS } from '#shared/operation-types.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { get } from '#tests/support/system/requests.ts'
import { unplanned } from '#tests/support/system/unplanned.ts'
import type { World } from '#tests/support/system/world.ts'

type Body = Record<string, unknown>

/** Every change of a site, on the second one, which ends as it started. */
export function doesAsPlanned(world: World): void {
  const { php } = world.variant

  test('each call does exactly what its plan says', async () => {
    const { dashboard, host } = world
    const [, site] = world.sites
    if (!site) throw new Error('no second site')
    const { id, user, domain } = site
    const stream = async (path: string, body: Body) => {
      const last = (await dashboard.stream('POST', world.path(path), body)).at(-1)
      if (last?.event !== 'complete') throw new Error(JSON.stringify(last))
    }
    const call = async (method: string, path: string, body: Body) => {
      const answer = await dashboard.call(method, world.path(path), body)
      if (answer.status >= 300) throw new Error(JSON.stringify(answer))
      if (answer.status !== 202) return
      const last = await endOf(dashboard, answer)
      if (last.event !== 'complete') throw new Error(JSON.stringify(last))
    }
    const does = async (method: string, path: string, body: Body = {}, pages = false) => {
      const act = () => call(method, path, body)
      const found = await unplanned(world, { method, path, body }, act, { pages })
      expect([path, found]).toEqual([path, []])
    }
    const streams = async (path: string, body: Body) => {
      const act = () => stream(path, body)
      expect(await unplanned(world, { method: 'POST', path, body }, act)).toEqual([])
    }

    await does('POST', '/pool-apply', { user, php_version: php, tier: 'medium' })
    await does('PATCH', `/sites/${id}`, { tier: 'small' })
    await streams(`/sites/${id}/tls`, { tls: 'none' })
    await streams(`/sites/${id}/tls`, { tls: 'self-signed' })
    await streams(`/sites/${id}/tls`, { tls: 'self-signed' })
    for (const type of SITE_ACTIONS) {
      await get(host, `https://${domain}/`)
      await does('POST', `/sites/${id}/${actionOf(type).path}`, {}, true)
    }
    await does('POST', '/services/restart', { service: `php-fpm:${user}` })
    // Its backup is an operation of its own.
    await does('DELETE', `/sites/${id}`, { without_backup: true })
    await does('POST', `/sites/${id}/restore`)
  })
}
