// tier: core
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Dice } from '#agent/kernel/host/simulated/dice.ts'
import type { ListeningServer } from '#agent/kernel/http/listen.ts'
import { readEvents, type StoredEvent } from '#shared/kernel/sse.ts'
import { listeningAgent } from '#tests/support/agent/listening.ts'
import { Client as Browser, type Client } from '#tests/support/client.ts'
import { tableOf } from '#tests/support/commands.ts'
import { CuttingProxy } from '#tests/support/cutting-proxy.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { useDashboard } from '#tests/support/running.ts'
import { long } from '#tests/support/runs.ts'

setDefaultTimeout(300_000)

const SITES = long ? 60 : 10
const FOLLOWERS = long ? 20 : 3
const LINES = 40
/** Between agent and dashboard, for each operation: the dashboard waits longer after each. */
const MAX_CUTS = 3

const dice = new Dice(1)
const dashboard = useDashboard()
let agent: ListeningServer
let atAgent: CuttingProxy
let atDashboard: CuttingProxy

/** A real agent over HTTP, whose only command prints many lines and changes nothing. */
function talkingAgent(): Promise<ListeningServer> {
  const commands = tableOf({
    'site.create': {
      lock: () => undefined,
      plan: async () => [],
      async *run({ domain }) {
        for (let line = 1; line <= LINES; line++) {
          yield `${line}: ein Wort, ένα, 一つ, 🚀`
          await Bun.sleep(20)
        }
        return { domain }
      },
    },
  })
  return listeningAgent(fakeHost(), commands)
}

function cuttingEachOperation(): (request: string) => number | undefined {
  const cuts = new Map<string, number>()
  return (request) => {
    const [, id] = /^operation-id: (\S+)/im.exec(request) ?? []
    const before = cuts.get(id ?? '') ?? 0
    if (id === undefined || before === MAX_CUTS) return undefined
    cuts.set(id, before + 1)
    return 200 + dice.below(1_500)
  }
}

beforeAll(async () => {
  agent = await talkingAgent()
  atAgent = new CuttingProxy({
    port: Number(new URL(agent.url).port),
    cutAfter: cuttingEachOperation(),
  })
  atDashboard = new CuttingProxy({
    port: Number(new URL(dashboard.running().url).port),
    cutAfter: () => 400 + dice.below(2_400),
  })
})

afterAll(async () => {
  await Promise.all([atAgent.stop(), atDashboard.stop(), agent.stop()])
})

test('a viewer of an operation sees each event once across broken connections', async () => {
  const { client } = dashboard
  const port = await atAgent.listen()
  const server = await client().post('/api/servers', { hostname: '127.0.0.1', port })
  const { id } = (server.body as { server: { id: number } }).server
  const browser = new Browser(`http://127.0.0.1:${await atDashboard.listen()}`, client().cookie)
  const operations = await Promise.all(
    Array.from({ length: SITES }, async (_, at) => {
      const path = `/api/servers/${id}/sites`
      const { headers } = await client().post(path, { domain: `site${at}.example`, tls: 'none' })
      return { domain: `site${at}.example`, operation: headers.get('operation-id') ?? '' }
    }),
  )

  const seen = await Promise.all(
    operations.flatMap(({ operation }) =>
      Array.from({ length: FOLLOWERS }, () => followed(browser, operation)),
    ),
  )

  expect(seen).toEqual(
    operations.flatMap(({ domain }) => Array.from({ length: FOLLOWERS }, () => whole(domain))),
  )
  expect(atAgent.cuts).toBeGreaterThan(SITES)
  expect(atDashboard.cuts).toBeGreaterThan(SITES * FOLLOWERS)
})

/** As an EventSource: when the stream breaks, it asks for what comes after the last event. */
async function followed(client: Client, operation: string): Promise<StoredEvent[]> {
  const seen: StoredEvent[] = []
  const over = () => seen.some(({ event }) => event !== 'log')
  while (!over()) {
    const headers = { 'last-event-id': String(seen.at(-1)?.id ?? 0), connection: 'close' }
    const path = `/api/operations/${operation}/events`
    await client
      .open({ path, headers })
      .then(async ({ body }) => {
        for await (const event of readEvents(body ?? new ReadableStream())) seen.push(event)
      })
      .catch(() => undefined)
  }
  return seen
}

function whole(domain: string): StoredEvent[] {
  const lines = Array.from({ length: LINES }, (_, at) => ({
    id: at + 1,
    event: 'log' as const,
    data: { message: `${at + 1}: ein Wort, ένα, 一つ, 🚀` },
  }))
  return [...lines, { id: LINES + 1, event: 'complete', data: { status: 'ok', domain } }]
}
