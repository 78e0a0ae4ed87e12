import { z } from 'zod'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { requireAddresses } from '#dashboard/kernel/targets/addresses.ts'
import { conflict, messageOf, offline } from '#shared/kernel/errors.ts'
import type { Switch } from '#shared/moves/moving.ts'
import { CopiedTables, Gathered } from '#shared/sites/gathered.ts'
import { withBackupSource } from './move-backup.ts'
import { Done } from './move-parts.ts'
import type { MoveSession } from './move-session.ts'

interface SwitchCall {
  /** The id of the call; each call has its own. */
  id: string
  server: ServerRow
  state: Switch
  peers?: string[]
  challenges?: boolean
  certificate?: string
}

/** Switches the site to the other server, and returns the certificate of that; or nothing. */
export async function switchSite(
  { parts, site }: MoveSession,
  { id, server, ...params }: SwitchCall,
): Promise<string> {
  const call = { id, server, command: 'site.switch', params: { domain: site.domain, ...params } }
  return (await parts.call({ ...call, command: 'site.switch' })).certificate
}

/** Returns the addresses of a server. Throws offline for a name that cannot be resolved now. */
export const addressesOrOffline = (server: ServerRow): Promise<string[]> =>
  requireAddresses(server).catch((error: unknown) => {
    throw offline(messageOf(error))
  })

/** Throws conflict if visitors, who reach the site over TLS, would not reach the other server. */
export function refuseUncovered(
  { site, other }: MoveSession,
  own: string,
  certificate: string,
): void {
  if (own === '' || certificate !== '') return
  throw conflict(
    `${other.name} got no certificate for ${site.domain}, which visitors reach over TLS`,
  )
}

/** Freezes the site and returns its certificate. From the first call on, nothing waits. */
export async function freezeSite(session: MoveSession): Promise<string> {
  const { deps, parts, site, here } = session
  if (!parts.has('freezing')) await parts.keep('freezing', timestamp(deps.clock))
  return parts.once('frozen', `Freezing ${site.domain}`, z.string(), () =>
    switchSite(session, { id: 'frozen', server: here, state: 'frozen' }),
  )
}

/** The parts that bring the copy up to date: while the site serves, and again during the freeze. */
const ROUNDS = {
  serving: { gather: 'gathered', catchUp: 'brought', title: 'until now' },
  frozen: { gather: 'changes', catchUp: 'caught-up', title: 'since then' },
} as const

/** Copies the changes to the copy; with `settings`, also the settings of the site. */
export async function copyChanges(
  session: MoveSession,
  backup: number,
  round: keyof typeof ROUNDS,
  { settings = false } = {},
): Promise<void> {
  const { parts, site, here, other } = session
  const { gather, catchUp, title } = ROUNDS[round]
  const { domain } = site
  const call = <N extends 'site.gather' | 'site.catch-up'>(
    id: string,
    server: ServerRow,
    command: N,
    more = {},
  ) =>
    withBackupSource(session, backup, server, ({ backup: snapshot, ...repository }) => {
      const follows = settings && command === 'site.catch-up'
      const from = { ...repository, ...(follows && { backup: snapshot }) }
      return parts.call({ id, server, command, params: { domain, from, ...more } })
    })
  const has = round === 'frozen' ? changesBefore(session) : {}
  const gathered = await parts.once(
    gather,
    `Saving the changes ${title} on ${here.name}`,
    Gathered,
    async () => (await call(gather, here, 'site.gather', has)).gathered,
  )
  const work = `Copying the changes ${title} to ${other.name}`
  await parts.once(catchUp, work, z.union([CopiedTables, Done]), async () => {
    return (await call(catchUp, other, 'site.catch-up', { gathered })).has ?? true
  })
}

function changesBefore({ parts }: MoveSession) {
  const { gather, catchUp } = ROUNDS.serving
  const [known, before] = [parts.get(catchUp, CopiedTables), parts.get(gather, Gathered)]
  return parts.has(catchUp) ? { known, files: before?.files.snapshot } : {}
}
