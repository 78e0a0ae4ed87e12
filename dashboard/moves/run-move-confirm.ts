import type { Outcome } from '#dashboard/operations/job.ts'
import { absent } from './give-up.ts'
import { Done } from './parts.ts'
import { endStatements } from './queries.ts'
import { ended, type Session, session } from './session.ts'
import { switchSite } from './switch-site.ts'

/** The former copy goes to the trash of its server, which forwards no more. */
export const runMoveConfirm = session(confirm)

async function confirm(session: Session): Promise<Outcome> {
  const { parts, site, here, other } = session
  const { domain } = site
  await parts.once('deleted', `Moving the copy on ${other.name} to the trash`, Done, async () => {
    const params = { domain }
    await absent(parts.call({ id: 'delete', server: other, command: 'site.delete', params }))
    return true
  })
  await parts.finally('settled', `Serving ${domain} for visitors only`, Done, async () => {
    await switchSite(session, { id: 'settled', server: here, state: 'settled' })
    return true
  })
  const end = (queries: Parameters<typeof endStatements>[0]) => endStatements(queries, site.id)
  return ended(session, 'site.move-confirm', { domain }, end)
}
