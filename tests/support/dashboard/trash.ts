import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import type { FakeAgent } from '#tests/support/fake-agent.ts'
import { type Dashboard, until } from './dashboard.ts'

export const DAY_MS = 24 * 3600_000
export const domain = 'shop.example'
export const site = '/api/servers/1/sites/1'
export const conflict = (message: string) => ({ status: 409, body: { error: 'Conflict', message } })

/** A clock that tests put forward; what waits still waits in real time. */
export function movable() {
  let ahead = 0
  const clock: Clock = {
    now: () => new Date(Date.now() + ahead),
    elapsed: () => performance.now() + ahead,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        signal?.addEventListener('abort', () => {
          clearTimeout(timer)
          resolve()
        })
      }),
  }
  return {
    clock,
    forward(ms: number) {
      ahead += ms
    },
  }
}

export async function statusOf(dashboard: Dashboard): Promise<string | undefined> {
  return (await dashboard.call('GET', '/api/fleet/sites/1')).body.site?.status
}

export const becomes = (dashboard: Dashboard, status: string | undefined) =>
  until(async () => (await statusOf(dashboard)) === status)

export async function trashed(dashboard: Dashboard, agent: FakeAgent): Promise<void> {
  await dashboard.addServer(agent)
  await dashboard.call('POST', '/api/servers/1/sites', { domain })
  await becomes(dashboard, 'active')
  await dashboard.call('DELETE', site)
  await becomes(dashboard, 'trashed')
}

export const trashOf = async (dashboard: Dashboard) =>
  (await dashboard.call('GET', '/api/trash')).body.trash
