import { afterAll, beforeAll } from 'bun:test'
import { commands } from '#agent/commands.ts'
import type { ListeningServer } from '#agent/kernel/http/listen.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { listeningAgent } from '#tests/support/agent/listening.ts'
import { Client } from './client.ts'
import { there, useDashboard } from './running.ts'

/** A dashboard with one synced server: a real agent on a simulated machine, which has shop.example. */
export function useSimulatedServer({ pages = [] }: { pages?: readonly string[] } = {}) {
  const { client, running } = useDashboard()
  let agent: ListeningServer | undefined
  beforeAll(async () => {
    const host = await server(shop)
    for (const domain of pages) host.pages.set(`http://${domain}/`, `<a href="http://${domain}/">`)
    agent = await listeningAgent(host, commands)
    const port = Number(new URL(agent.url).port)
    const named = { name: 'web-1', hostname: '127.0.0.1', port, tags: ['eu', 'web'] }
    await client().post('/api/servers', { ...named, user: 'root' })
    await client().post('/api/servers/1/sync')
  })
  afterAll(() => agent?.stop())
  return { client, running, agent: () => new Client(there(agent).url) }
}
