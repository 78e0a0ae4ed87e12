import { afterAll, beforeAll } from 'bun:test'
import type { Client } from '#tests/support/client.ts'
import { backupAgent, checkedTarget, confirmKit } from '#tests/support/dashboard/backups.ts'
import { copyingAgent } from '#tests/support/dashboard/copies.ts'
import { movesSites } from '#tests/support/dashboard/moves.ts'
import { type Used, useDashboard } from '#tests/support/running.ts'
import { addServer, foundSite, useFleet } from './fleet.ts'
import { useBrowser } from './pages.ts'

/** A client of a running dashboard, for what also sets up dashboards of unit tests. */
export const callerOf = (client: Client) => ({
  send: (method: string, path: string, body?: unknown) => client.open({ method, path, body }),
  call: async (method: string, path: string, body?: unknown) => {
    const { status, text } = await client.send({ method, path, body })
    return { status, body: JSON.parse(text) }
  },
})

/** A confirmed kit, and a target that the server web-1 has checked. */
async function readyBackups(dashboard: Used): Promise<void> {
  const caller = callerOf(dashboard.client())
  await confirmKit(caller)
  await checkedTarget(caller, 1)
}

/** For the tests of this file: shop.example on web-1, which can be backed up. */
export function useBackups(options: Parameters<typeof backupAgent>[0] = {}) {
  const { agent, given } = backupAgent(options)
  agent.sites = [foundSite('shop.example')]
  const fleet = useFleet({ agent })
  beforeAll(() => readyBackups(fleet.dashboard))
  return { ...fleet, given }
}

/**
 * For the tests of this file: web-1, which has shop.example and can back it up, and web-2, to which
 * it can be moved. `asked` receives the states in which they were asked to serve a site.
 */
export function useMoves(asked: Parameters<typeof movesSites>[2] = []) {
  const dashboard = useDashboard()
  const open = useBrowser(dashboard)
  const [one, two] = [copyingAgent(), copyingAgent()]
  one.agent.sites = [foundSite('shop.example')]
  for (const [name, { agent, given }] of Object.entries({ one, two })) {
    agent.services = [{ name: 'php8.2', status: 'running' }]
    movesSites(name as 'one' | 'two', { agent, given }, asked)
  }
  beforeAll(async () => {
    await addServer(dashboard, one.agent, 'web-1')
    await addServer(dashboard, two.agent, 'web-2')
    await readyBackups(dashboard)
  })
  afterAll(() => Promise.all([one, two].map(({ agent }) => agent.stop())))
  return { dashboard, open, one, two }
}
