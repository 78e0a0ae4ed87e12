import { awaitOutcome } from '#dashboard/kernel/engine/enqueue.ts'
import { type StartDeps, startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { type Connection, isSecure } from '#dashboard/kernel/http/connection.ts'
import { Reply } from '#dashboard/kernel/http/reply.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { OpenedTool } from '#shared/database/api/site-database.ts'
import { databaseToolType } from '#shared/database/database.tool.ts'
import { MAX_MINUTES, type UserRights } from '#shared/database/database-user.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { hashOf, newToken } from './new-user.ts'
import { passwordOf, type ToolPasses } from './tool-passes.ts'

export const TOOL_COOKIE = 'adminer'
export const TOOL_PATH = '/database-tools'

export interface ToolDeps {
  passes: ToolPasses
  public_url: string | undefined
}

const COOKIE_OPTIONS = { httpOnly: true, secure: true, sameSite: 'none' } as const

interface OpenToolCall {
  deps: StartDeps & ToolDeps
  loaded: SiteTarget
  caller: Caller
  request: Request
  server: Connection | null
}

/**
 * Starts a session of Adminer. The answer sets the cookie that opens its address; its forms come
 * from an origin of their own, with which browsers send `SameSite=None` cookies only.
 */
export async function openTool(
  visit: OpenToolCall,
  rights: UserRights,
): Promise<Reply<200, OpenedTool>> {
  const { deps, loaded, caller, request, server } = visit
  if (!isSecure(deps, request, server) && !isOwnComputer(request))
    throw conflict('Adminer needs an https address of this dashboard')
  const key = Buffer.from(deps.random(32)).toString('base64url')
  const account_hash = hashOf(passwordOf(key))
  const input = { token: newToken(deps.random), rights, minutes: MAX_MINUTES, account_hash }
  const job = await startOperation(deps, 'database.tool', loaded, input)
  const { user, ends_at } = databaseToolType.outcome.result.parse(await awaitOutcome(deps, job))
  const ids = { server_id: loaded.server.id, site_id: loaded.site.id }
  const place = deps.passes.placeOf({ ...ids, user })
  const url = `${TOOL_PATH}/${place}`
  const value = deps.passes.passOf(place, key, caller.jti)
  const maxAge = MAX_MINUTES * 60
  const options = { ...COOKIE_OPTIONS, path: url, maxAge }
  return new Reply(
    200,
    { url, user, rights, ends_at },
    { cookie: { name: TOOL_COOKIE, value, options } },
  )
}

/** Whether the browser is on this machine: there it takes `Secure` cookies without TLS. */
const isOwnComputer = ({ url }: Request): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
