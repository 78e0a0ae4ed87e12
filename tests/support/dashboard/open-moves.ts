import { operations } from '#dashboard/db/schema.ts'
import { repeatDue } from '#dashboard/moves/repeat-due.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { until } from './dashboard.ts'
import { events, type MovingServers } from './moves.ts'

/** Operations end and are repeated soon. */
export const FAST = { deadline_ms: 5000, retry_min_ms: 10, retry_max_ms: 10 }
export const move = (all: MovingServers) => events(all, 'move', { server_id: all.second })

/** From now on an agent refuses to give the site one of these states; returns the end of that. */
export function refuses(all: MovingServers, of: 'one' | 'two', ...states: string[]): () => void {
  const { works } = all[of].agent
  const usual = works.get('site.switch')
  if (!usual) throw new Error('no work')
  works.set('site.switch', async function* (params) {
    if (!states.includes(String(params.state))) return yield* usual(params)
    yield 'Trying'
    throw new Refused({ error: 'Conflict', message: 'The disk is full' })
  })
  return () => void works.set('site.switch', usual)
}

export async function shown({ dashboard, site, shop }: MovingServers) {
  const { server_id } = await site(shop)
  const { body } = await dashboard.call('GET', `/api/servers/${server_id}/sites/${shop}/move`)
  return body
}

/** As if the last operations had ended long ago. */
export const later = ({ dashboard }: MovingServers) =>
  dashboard.db.write((queries) =>
    queries.update(operations).set({ finished_at: '2026-01-01T00:00:00.000Z' }),
  )

/** Starts what is due, and waits for its end. */
export async function repeated(all: MovingServers): Promise<string[]> {
  const { dashboard } = all
  await repeatDue(dashboard.deps)
  await until(async () => (await dashboard.db.read.select().from(operations)).every(hasEnded))
  const all_of = await dashboard.db.read.select().from(operations)
  return all_of.flatMap(({ type, actor, status }) =>
    actor === null && type.startsWith('site.move') ? [`${type} ${status}`] : [],
  )
}

const hasEnded = ({ status }: { status: string }) => status !== 'queued' && status !== 'running'
