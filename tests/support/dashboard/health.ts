import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { FleetSiteDetail } from '#shared/overview/api/fleet.ts'
import type { SiteHealth } from '#shared/servers/agent.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { created, found } from '#tests/support/found-sites.ts'
import { makeDashboard } from './dashboard.ts'

export const FAILED = 'PHP 8.2 of this site has failed'

export const up = (domain: string): SiteHealth => {
  const verdict = { state: 'up', code: 'up', reason: '' } as const
  return { domain, ...verdict, checks: [{ check: 'php', ...verdict }] }
}
export const unwell = (
  domain: string,
  state: SiteHealth['state'],
  code: string,
  reason = FAILED,
) => ({
  ...{ domain, state, code, reason },
  checks: [{ check: 'php' as const, state, code, reason }],
})

/** The time is fixed until a test moves it; a sleep takes real time. */
class MovedClock {
  #moved = 0
  now = () => new Date(Date.parse('2026-01-01T00:00:00.000Z') + this.#moved)
  elapsed = () => this.#moved
  sleep = realClock.sleep
  move(ms: number): void {
    this.#moved += ms
  }
}

export type HealthWorld = Awaited<ReturnType<typeof openHealth>>

/** A dashboard with one server, whose agent has the sites a.example to d.example. */
export async function openHealth() {
  const clock = new MovedClock()
  const agent = new FakeAgent()
  const dashboard = await makeDashboard({ clock })
  agent.services = [{ name: 'php8.2', status: 'running' }]
  agent.sites = ['a', 'b', 'c', 'd'].map((name) =>
    found(`${name}.example`, { php: '8.5', user: name }),
  )
  agent.usage = agent.sites.map(({ domain }) => created(domain))
  const server = await dashboard.addServer(agent)
  await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
  return {
    ...{ clock, agent, dashboard, server },
    /** As after a pulse. */
    read: () => {
      const { health, agents } = dashboard.deps
      const { metrics, port } = agent
      return health.update({ id: server, hostname: '127.0.0.1', port, metrics }, agents)
    },
    async listed(query = ''): Promise<string[]> {
      const { body } = await dashboard.call('GET', `/api/fleet/sites?${query}`)
      return body.sites.map(
        ({ domain, health, health_code }: Record<string, string>) =>
          `${domain?.[0]} ${health} ${health_code}`,
      )
    },
    async site(id: number) {
      const { body } = await dashboard.call('GET', `/api/fleet/sites/${id}`)
      return FleetSiteDetail.parse(body.site)
    },
    async close() {
      await agent.stop()
      await dashboard[Symbol.asyncDispose]()
    },
  }
}
