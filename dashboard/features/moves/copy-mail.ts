import { z } from 'zod'
import { storedMailOf } from '#dashboard/features/mail/mail.apply.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import type { MoveSession } from './move-session.ts'

/**
 * Gives the other server the mail settings of the site, which are no part of a backup. A server that
 * refuses them does not end the move.
 */
export async function copyMail(session: MoveSession): Promise<void> {
  const { deps, parts, site, other } = session
  const params = await storedMailOf(deps, site)
  if (!params) return
  const title = `Changing the mail settings on ${other.name}`
  await parts.finally('mail', title, z.boolean(), async () => {
    try {
      await parts.call({ id: 'mail', server: other, command: 'mail.apply', params })
      return true
    } catch (error) {
      return noteRefusal(session, error)
    }
  })
}

/** Notes that a server has refused; an unreachable one is asked again. */
async function noteRefusal(session: MoveSession, error: unknown): Promise<false> {
  const { parts, site, other, context } = session
  if (context.signal.aborted || isServiceError(error, 'offline')) throw error
  await parts.log(
    `Warning: ${site.domain} has the mail settings of ${other.name} until its own are set again: ${messageOf(error)}`,
  )
  return false
}
