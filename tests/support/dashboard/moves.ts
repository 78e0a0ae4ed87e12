import { eq } from 'drizzle-orm'
import { lost_servers } from '#dashboard/kernel/db/lost-schema.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { TimeLimits } from '#dashboard/kernel/runtime/time-limits.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { HastyClock } from './clock.ts'
import { twoServers } from './copies.ts'

export const HAS = [{ table: 'wp_posts', rows: 3, sha256: 'd'.repeat(64) }]
export const GATHERED = {
  at: '2026-01-01T00:00:00.000Z',
  files: { snapshot: 'a'.repeat(64), count: 3, bytes: 2000 },
  database: { snapshot: 'b'.repeat(64), bytes: 300, sha256: 'c'.repeat(64) },
}

type Both = Awaited<ReturnType<typeof twoServers>>

/** What an agent was asked in a move: the command, and the state that it names. */
type Asked = [server: 'one' | 'two', command: string, state?: unknown]

/** Its agent moves sites, and records its requests. */
export function movesSites(
  name: Asked[0],
  { agent, given }: Pick<Both['one'], 'agent' | 'given'>,
  asked: Asked[] = [],
): void {
  const { works } = agent
  const answers = (
    command: string,
    more: object | ((params: Record<string, unknown>) => object) = {},
  ) =>
    works.set(command, async function* (params) {
      asked.push(params.state === undefined ? [name, command] : [name, command, params.state])
      given.push({ [command]: params })
      yield `Working on ${params.domain}`
      const facts = typeof more === 'function' ? more(params) : more
      return { status: 'ok', domain: params.domain, ...facts }
    })
  answers('site.switch', { certificate: '' })
  answers('site.receive', ({ staging }) => ({
    certificate: '',
    ...(staging ? { staging: true } : {}),
  }))
  answers('site.gather', { gathered: GATHERED })
  answers('site.catch-up', { at: '2026-01-01T00:00:00.000Z', tables: 2, has: HAS })
  answers('site.delete', { size: 1 })
  answers('site.purge')
  const backup = works.get('backup.create')
  if (!backup) return
  works.set('backup.create', (params, ...rest) => {
    asked.push([name, 'backup.create'])
    return backup(params, ...rest)
  })
}

/** Two servers whose agents move sites, in the order in which they are asked. */
export async function movingServers(limits: Partial<TimeLimits> = {}) {
  const clock = new HastyClock()
  const all = await twoServers({ limits: { deadline_ms: 30_000, ...limits }, clock })
  const asked: Asked[] = []
  for (const name of ['one', 'two'] as const) movesSites(name, all[name], asked)
  const ready = { status: 'online' as const, php_versions: ['8.2'] }
  await all.dashboard.db.write((queries) => queries.update(servers).set(ready))
  return { ...all, asked, clock }
}

/** From now on a command of one of the agents does not end; `first` is called when it begins. */
export function hangs(
  all: MovingServers,
  {
    of,
    command,
    when = () => true,
  }: { of: Asked[0]; command: string; when?: (params: Record<string, unknown>) => boolean },
  first: () => void = () => undefined,
): { ends(): void } {
  const { works } = all[of].agent
  const usual = works.get(command)
  if (!usual) throw new Error(`no work ${command}`)
  works.set(command, async function* (params) {
    if (!when(params)) return yield* usual(params)
    yield 'Waiting'
    first()
    return new Promise(() => undefined)
  })
  return { ends: () => void works.set(command, usual) }
}

/** Its agent does not answer any more, and a user has declared that it does not come back. */
export async function declaredLost({ dashboard, ...all }: MovingServers, id: number) {
  await (id === all.first ? all.one : all.two).agent.stop()
  await dashboard.db.write((queries) =>
    queries
      .insert(lost_servers)
      .values({ server_id: id, declared_at: timestamp(dashboard.deps.clock) }),
  )
  await dashboard.db.write((queries) =>
    queries.update(servers).set({ status: 'offline' }).where(eq(servers.id, id)),
  )
}

/** Its agent does not answer any more, and time hurries to the deadline of the move. */
export function gone({ clock, ...all }: MovingServers, name: Asked[0]): void {
  void all[name].agent.stop()
  clock.hurry()
}

const BEFORE_PARTED = ['leaving', 'frozen', 'settled']

/**
 * From now on the first server refuses, like a real one, what it cannot become once it only forwards;
 * `first` is called when it has decided that, and has not answered yet.
 */
export function decides(all: MovingServers, first: () => void | Promise<void>): void {
  const { works } = all.one.agent
  const usual = works.get('site.switch')
  if (!usual) throw new Error('no work')
  let isParted = false
  works.set('site.switch', async function* (params) {
    const state = String(params.state)
    if (isParted && BEFORE_PARTED.includes(state)) {
      const message = `${params.domain} cannot become ${state} on this server`
      throw new Refused({ error: 'Conflict', message })
    }
    if (!isParted && state === 'parted') {
      isParted = true
      yield 'Handing over'
      await first()
    }
    return yield* usual(params)
  })
}

export async function rename(
  { dashboard: { db } }: Both,
  id: number,
  hostname: string,
): Promise<void> {
  await db.write((queries) => queries.update(servers).set({ hostname }).where(eq(servers.id, id)))
}

export type MovingServers = Awaited<ReturnType<typeof movingServers>>

/** The events of a call for the site, at its present server. */
export async function events(
  { dashboard, site, shop }: Both,
  call: string,
  body: object = {},
  id: number = shop,
): Promise<string> {
  const { server_id } = await site(id)
  const path = `/api/servers/${server_id}/sites/${id}/${call}?steps=true`
  return (await dashboard.send('POST', path, body)).text()
}
