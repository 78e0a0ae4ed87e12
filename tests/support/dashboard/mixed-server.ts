import type { FakeAgent } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'
import { type Dashboard, until } from './dashboard.ts'

export const refused = {
  status: 409,
  body: {
    error: 'Conflict',
    message: 'plain.example was found, not created by Hosting Control',
    code: 'site_not_managed',
  },
}

export const inventory = {
  wp_version: '6.9.1',
  plugins: [{ slug: 'seo', name: 'SEO', version: '1.0', active: true, update: '1.1' }],
  themes: [],
  core_update: null,
  updates: { plugins: 1, themes: null, core: false },
}

/** A server with a found site, a created one, and an agent that would do all that it is asked. */
export async function mixed(dashboard: Dashboard, agent: FakeAgent) {
  agent.sites = [found('plain.example', { user: 'plain' })]
  agent.works.set('wp.scan', async function* () {
    yield 'Reading'
    return inventory
  })
  agent.works.set('pool.apply', async function* ({ tier }) {
    yield 'Applying'
    return { status: 'ok', tier }
  })
  agent.answers.set('/sites/db-password', () => Response.json({ password: 'of plain' }))
  const id = await dashboard.addServer(agent)
  await sync(dashboard, id)
  await dashboard.call('POST', `/api/servers/${id}/sites`, { domain: 'made.example' })
  await until(async () => (await siteOf(dashboard, 2)).status === 'active')
  return `/api/servers/${id}`
}

export const sync = async (dashboard: Dashboard, id = 1) =>
  (await dashboard.send('POST', `/api/servers/${id}/sync`)).text()

export const siteOf = async (dashboard: Dashboard, id: number) =>
  (await dashboard.call('GET', `/api/fleet/sites/${id}`)).body.site
