import { z } from 'zod'
import { clientsFor } from '#dashboard/features/access/clients.ts'
import { storeAccess } from '#dashboard/features/access/queries.ts'
import { grantsFor } from '#dashboard/features/access/show-access.ts'
import { NO_CHANGE, type RecordChange } from '#dashboard/kernel/engine/rules.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { SiteAccessReport } from '#shared/access/site.access.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import type { MoveSession } from './move-session.ts'

const CopiedAccess = z.object({ report: SiteAccessReport.nullable() })

/**
 * Gives people and client accounts the access that they had, on the server that serves the site
 * now. The site is open already: a server that refuses, such as one without an SSH server, does not
 * end the move.
 */
export async function copyAccess(session: MoveSession): Promise<RecordChange> {
  const { deps, parts, site, other } = session
  const grants = await grantsFor(deps.db, site.id, {})
  const clients = await clientsFor(deps.db, site.id, {})
  if (grants.length + clients.length === 0) return NO_CHANGE
  const title = `Opening the SFTP access on ${other.name}`
  const { report } = await parts.finally('access', title, CopiedAccess, async () => {
    const params = { domain: site.domain, grants, clients, install: false }
    const call = { id: 'access', server: other, command: 'site.access', params } as const
    return { report: await parts.call(call).catch((error: unknown) => noteRefusal(session, error)) }
  })
  if (!report) return NO_CHANGE
  return (queries, subject, at) =>
    storeAccess({ grants, clients }, report)(queries, { ...subject, server_id: other.id }, at)
}

/** Notes that a server has refused; an unreachable one is asked again. */
async function noteRefusal({ parts, other, context }: MoveSession, error: unknown): Promise<null> {
  const isOffline = isServiceError(error, 'offline')
  if (context.signal.aborted || isOffline) throw error
  await parts.log(
    `Warning: nobody can log in on ${other.name} before the access is set again: ${messageOf(error)}`,
  )
  return null
}
