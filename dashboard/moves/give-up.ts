import { z } from 'zod'
import type { ServerRow } from '#dashboard/db/rows.ts'
import type { Outcome } from '#dashboard/operations/job.ts'
import { type ErrorBody, ServiceError } from '#shared/errors.ts'
import { Done } from './parts.ts'
import { endMove, findServer } from './queries.ts'
import { failed, type Session } from './session.ts'
import { switchSite } from './switch-site.ts'

/** The site serves as before, and the other server has nothing of it. */
export async function giveUp(session: Session, reason: ErrorBody): Promise<Outcome> {
  const { deps, parts, site, here, other } = session
  const { domain } = site
  await parts.finally('settled', `Serving ${domain} as before`, Done, async () => {
    await switchSite(session, { id: 'settled', server: here, state: 'settled' })
    return true
  })
  if (parts.has('received')) {
    await parts.finally('removed', `Removing the copy on ${other.name}`, Done, () =>
      removeCopy(session, other, ''),
    )
  }
  const isLeft = parts.has('left') && !parts.has('cleared')
  if (!isLeft) await endMove(deps.db, site.id)
  return failed(session, reason)
}

/** What an earlier move could not remove, since its server was unreachable. */
export async function cleared(session: Session): Promise<void> {
  const { deps, parts } = session
  const left = await findServer(deps.db, parts.get('left', z.number()) ?? 0)
  if (!left) return
  const title = `Removing the copy that an earlier move left on ${left.name}`
  await parts.once('cleared', title, Done, () => removeCopy(session, left, 'left-'))
}

/** Nothing but the copy: the server may have got another site of this name. */
async function removeCopy(
  { parts, site: { domain } }: Session,
  server: ServerRow,
  prefix: '' | 'left-',
): Promise<true> {
  const params = { domain, copy: true }
  const deletion = { id: `${prefix}delete`, server, command: 'site.delete', params } as const
  if (!(await present(parts.call(deletion)))) return true
  const purge = { domain, confirm: domain }
  await present(parts.call({ id: `${prefix}purge`, server, command: 'site.purge', params: purge }))
  return true
}

/** False: it is gone already. */
export async function present(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'not_found')) throw error
    return false
  }
}
