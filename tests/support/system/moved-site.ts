import type { StoredEvent } from '#shared/kernel/sse.ts'
import { endOf } from './dashboard.ts'
import type { Member, TwoServers } from './two-servers.ts'

export interface MovedSite {
  id: number
  user: string
  /** The id of the server that its record names. */
  server(): Promise<number>
}

/** A site on the first server. */
export async function addSite(
  world: TwoServers,
  input: { domain: string; tls: string },
): Promise<MovedSite> {
  const { dashboard, one } = world
  const body = { php: '8.4', ...input }
  const created = await dashboard.call('POST', `/api/servers/${one.id}/sites`, body)
  const { event, data } = await endOf(dashboard, created)
  if (event !== 'complete') throw new Error(JSON.stringify(data))
  const { id } = created.body.site as { id: number }
  const shown = async () => {
    const { body } = await world.dashboard.call('GET', `/api/fleet/sites/${id}`)
    return body.site as { user: string; server_id: number }
  }
  return { id, user: (await shown()).user, server: async () => (await shown()).server_id }
}

type Parts = Record<string, () => Promise<unknown>>

/**
 * Moves it to the second server, and works when parts of the move begin, as its steps are named.
 * Returns the seconds of the freeze, and throws if the move fails.
 */
export const moved = (world: TwoServers, { id }: MovedSite, at: Parts): Promise<unknown> =>
  followed(world, `/api/servers/${world.one.id}/sites/${id}/move`, { server_id: world.two.id }, at)

/** The same way back to the first server. */
export const movedBack = (world: TwoServers, { id }: MovedSite, at: Parts): Promise<unknown> =>
  followed(world, `/api/servers/${world.two.id}/sites/${id}/move-back`, {}, at)

async function followed(
  world: TwoServers,
  path: string,
  body: object,
  at: Parts,
): Promise<unknown> {
  const last = await lastOf(world, path, body, at)
  if (last?.event === 'complete') return last.data.seconds
  throw new Error(JSON.stringify(last?.data))
}

/** The last event of an operation, with work when its steps begin. */
export async function lastOf(
  { dashboard }: TwoServers,
  path: string,
  body: object,
  at: Parts,
): Promise<StoredEvent | undefined> {
  const { events } = await dashboard.start('POST', `${path}?steps=true`, body)
  let last: StoredEvent | undefined
  for await (const event of events) {
    last = event
    const { name, state } = event.data
    if (event.event === 'step' && state === 'running') await at[String(name)]?.()
  }
  return last
}

/** The exit status of restic for another password. */
const WRONG_PASSWORD = 12

/** Opens a repository of a site on a server, with the password that it has there of a repository. */
export const openingOf =
  (user: string) =>
  async ({ host }: Member, repository: string, password: string): Promise<string> => {
    const file = `/var/lib/hosting-agent/backups/${user}/passwords/${password}`
    const named = ['--repo', `/mnt/store/${repository}`, '--password-file', file]
    const argv = ['/var/lib/hosting-agent/bin/restic', ...named, '--no-cache', '--no-lock']
    const { code, stderr } = await host.exec([...argv, 'snapshots'])
    if (code === WRONG_PASSWORD) return 'wrong password'
    return code === 0 ? 'opened' : stderr
  }
