import type { Outcome } from '#dashboard/operations/job.ts'
import { type ErrorBody, ServiceError } from '#shared/errors.ts'
import { Done } from './parts.ts'
import { endMove } from './queries.ts'
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
    await parts.finally('removed', `Removing the copy on ${other.name}`, Done, async () => {
      const params = { domain }
      await absent(parts.call({ id: 'delete', server: other, command: 'site.delete', params }))
      const purge = { domain, confirm: domain }
      await absent(parts.call({ id: 'purge', server: other, command: 'site.purge', params: purge }))
      return true
    })
  }
  await endMove(deps.db, site.id)
  return failed(session, reason)
}

/** It may be gone already. */
export async function absent(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'not_found')) throw error
  }
}
