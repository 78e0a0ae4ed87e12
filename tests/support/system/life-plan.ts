import { test } from 'bun:test'
import { actionOf, SITE_ACTIONS } from '#shared/operation-types/index.ts'
import { asPlanned } from './as-planned.ts'
import { endOf } from './dashboard.ts'
import { get } from './requests.ts'
import { MINUTES, type World } from './world.ts'

type Body = Record<string, unknown>

/** Every change of a site, on the second one, which ends as it started. */
export function doesAsPlanned(world: World): void {
  const { php } = world.variant

  test(
    'each call does exactly what its plan says',
    async () => {
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
      const does = (method: string, path: string, body: Body = {}, pages = false) =>
        asPlanned(world, { method, path, body }, () => call(method, path, body), { pages })
      const streams = (path: string, body: Body) =>
        asPlanned(world, { method: 'POST', path, body }, () => stream(path, body))

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
    },
    5 * MINUTES,
  )
}
