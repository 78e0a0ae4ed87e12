import { sites } from '#dashboard/kernel/db/schema.ts'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import type { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { type Dashboard, until } from './dashboard.ts'

/** Sites of a separate server, stored as managed. */
export async function sitesOn(dashboard: Dashboard, agent: { port: number }, ...domains: string[]) {
  const server_id = await dashboard.addServer(agent)
  const rows = domains.map((domain) => ({
    server_id,
    domain,
    apex: domain,
    user: domain.split('.')[0] ?? '',
    php: '8.2',
    tier: 'small' as const,
    tls: 'none' as const,
    managed: true,
    status: 'active' as const,
    created_at: '2026-01-01T00:00:00.000Z',
  }))
  await dashboard.db.write((queries) => queries.insert(sites).values(rows))
  return server_id
}

/** The work of `pool.apply` here: by its user, fails for `bad…`, waits for `slow…`. */
export function pools(agent: FakeAgent) {
  const held = Promise.withResolvers<void>()
  const state = { running: 0, most: 0, started: [] as string[], release: held.resolve }
  agent.works.set('pool.apply', async function* ({ user, tier }) {
    const name = String(user)
    state.started.push(name)
    state.running++
    state.most = Math.max(state.most, state.running)
    yield `Applying tier ${tier}`
    if (name.startsWith('slow')) await held.promise
    else await Bun.sleep(5)
    state.running--
    if (name.startsWith('bad')) throw new Refused({ error: 'Internal error', message: 'No pool' })
    return { status: 'ok', tier }
  })
  return state
}

export const start = async (dashboard: Dashboard, body: object) => {
  const answer = await dashboard.call('POST', '/api/bulk-operations', {
    type: 'pool.apply',
    params: { tier: 'large' },
    ...body,
  })
  return answer.body.bulk_operation.id as string
}

export async function view(dashboard: Dashboard, id: string): Promise<BulkOperationView> {
  const { body } = await dashboard.call('GET', `/api/bulk-operations/${id}`)
  return body.bulk_operation
}

export const hasStatus = (dashboard: Dashboard, id: string, status: BulkOperationView['status']) =>
  until(async () => {
    const bulk = await view(dashboard, id)
    return bulk.status === status && (status === 'paused' || bulk.finished_at !== null) && bulk
  })

export async function items(dashboard: Dashboard, id: string, query = '') {
  const { body } = await dashboard.call('GET', `/api/bulk-operations/${id}/items${query}`)
  return body.items as { domain: string; status: string; operation_id: string | null }[]
}

export const outcomes = async (dashboard: Dashboard, id: string) =>
  (await items(dashboard, id)).map(({ domain, status }) => `${domain} ${status}`)

/** Each event as `number kind message`; checks that none is missing. */
export async function storedEvents(dashboard: Dashboard, id: string, after = 0): Promise<string[]> {
  const headers = { 'last-event-id': String(after) }
  const path = `/api/bulk-operations/${id}/events`
  const text = await (await dashboard.send('GET', path, undefined, headers)).text()
  const blocks = text.split('\n\n').filter((block) => block.startsWith('id:'))
  return blocks.map((block, at) => {
    const [, number, kind, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? []
    if (Number(number) !== after + at + 1) throw new Error(`event ${number} at ${after + at + 1}`)
    return `${number} ${kind} ${JSON.parse(data ?? '').message ?? data}`
  })
}
