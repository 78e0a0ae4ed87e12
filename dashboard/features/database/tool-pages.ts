import { Elysia } from 'elysia'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import { hasSession } from '#dashboard/kernel/auth/queries.ts'
import type { Base } from '#dashboard/kernel/db/base.ts'
import { getServer, getSite } from '#dashboard/kernel/db/targets.ts'
import { readBytes } from '#dashboard/kernel/http/body.ts'
import { queryOf } from '#dashboard/kernel/http/path.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { refuseFound } from '#dashboard/kernel/targets/load-site.ts'
import { MAX_FORM_BYTES, ToolFile, ToolRequest } from '#shared/database/database-tool.ts'
import { toolFileReading, toolReading } from '#shared/database/readings.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { TOOL_COOKIE, TOOL_PATH, type ToolDeps } from './open-tool.ts'
import { toolAnswer, toolFile, toolPage } from './tool-answer.ts'
import type { ToolPlace } from './tool-passes.ts'
import { ToolVisits } from './tool-visits.ts'

type Given = ToolDeps & Pick<Base, 'db' | 'clock' | 'log'> & { agents: Agents }
type Deps = Given & { visits: ToolVisits }

interface Visit {
  request: Request
  params: { place: string }
  server: { timeout(request: Request, seconds: number): void } | null
}

const FORM = { most_kib: MAX_FORM_BYTES / 1024, within_ms: 30_000 }
const ENDED = 'This session has ended. Open Adminer again in the dashboard.'

/**
 * Adminer in the browser. These pages alone belong to no session of the dashboard: their origin is
 * another one, which gets no cookie but theirs.
 */
export function toolPages(given: Given) {
  const deps = { ...given, visits: new ToolVisits() }
  const answer = async ({ request, params: { place }, server }: Visit): Promise<Response> => {
    server?.timeout(request, 0)
    try {
      const known = deps.passes.read(place)
      if (!known) return toolPage(403, ENDED)
      return await answerTo(deps, { request, place, known })
    } catch (error) {
      return refusalPage(deps, error)
    }
  }
  return new Elysia().get(`${TOOL_PATH}/:place`, answer).post(`${TOOL_PATH}/:place`, answer)
}

interface Asked {
  request: Request
  place: string
  known: ToolPlace
}

async function answerTo(deps: Deps, { request, place, known }: Asked): Promise<Response> {
  const { db, agents, passes } = deps
  const server = await getServer(db, known.server_id)
  const { domain } = refuseFound(await getSite(db, server.id, known.site_id))
  const query = queryOf(request.url).slice(1)
  const file = request.method === 'GET' ? new URLSearchParams(query).get('file') : null
  if (file !== null) {
    const { data } = ToolFile.safeParse(file)
    if (data === undefined) return toolPage(404, 'Adminer has no such file.')
    return deps.visits.run(server.id, async () => {
      const { signal } = request
      const { body } = await agents.call(
        server,
        toolFileReading,
        { domain, file: data },
        { signal },
      )
      return toolFile(body, file)
    })
  }
  const pass = passes.open(place, cookieIn(request))
  if (!pass || !(await isLoggedIn(deps, pass.jti))) return toolPage(403, ENDED)
  const form = await readBytes(request, FORM)
  const call = ToolRequest.safeParse({
    ...{ domain, user: known.user, password: pass.password, method: request.method, query },
    type: request.headers.get('content-type') ?? '',
    body: Buffer.from(form).toString('base64'),
  })
  if (!call.success) return toolPage(400, 'Adminer does not accept this request.')
  return deps.visits.run(server.id, async () => {
    const { signal } = request
    const { body } = await agents.call(server, toolReading, call.data, { signal })
    return toolAnswer(body, `${TOOL_PATH}/${place}`)
  })
}

/** A logout of the dashboard ends it too. */
const isLoggedIn = ({ db, clock }: Deps, jti: string): Promise<boolean> =>
  hasSession(db, jti, timestamp(clock))

function cookieIn(request: Request): string {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const text = pair.trim()
    if (text.startsWith(`${TOOL_COOKIE}=`)) return text.slice(TOOL_COOKIE.length + 1)
  }
  return ''
}

function refusalPage({ log }: Deps, error: unknown): Response {
  if (!(error instanceof ServiceError) || error.code === 'internal') {
    log.error('Adminer failed', error, {})
    return toolPage(500, 'Something went wrong: see the log of the dashboard.')
  }
  if (error.code === 'not_found') return toolPage(403, ENDED)
  return toolPage(error.status, error.message)
}
