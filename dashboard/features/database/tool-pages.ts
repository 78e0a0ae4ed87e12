import { Elysia } from 'elysia'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import { cookieIn } from '#dashboard/kernel/auth/cookie.ts'
import { lacksFactor } from '#dashboard/kernel/auth/factor-rule.ts'
import { findGrants } from '#dashboard/kernel/auth/grants.queries.ts'
import { findSession } from '#dashboard/kernel/auth/queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import { getServer, getSite } from '#dashboard/kernel/db/targets.ts'
import { readBytes } from '#dashboard/kernel/http/body.ts'
import { SECURITY_HEADERS } from '#dashboard/kernel/http/headers.ts'
import { queryOf } from '#dashboard/kernel/http/path.ts'
import { findPlaces } from '#dashboard/kernel/http/places.queries.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { refuseFound } from '#dashboard/kernel/targets/load-site.ts'
import {
  MAX_FORM_BYTES,
  MAX_PAGE_BYTES,
  ToolFile,
  ToolHead,
  ToolRequest,
} from '#shared/database/database-tool.ts'
import { toolFileReading, toolReading } from '#shared/database/readings.ts'
import { offline, ServiceError, tooMany } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { rightsAt } from '#shared/kernel/rights.ts'
import { TOOL_COOKIE, TOOL_PATH, type ToolDeps } from './open-tool.ts'
import type { ToolPlace } from './tool-passes.ts'

type Deps = ToolDeps &
  Pick<CommonDeps, 'db' | 'clock' | 'log'> & {
    agents: Agents
    marks: Marks
  }

interface ToolPageCall {
  request: Request
  params: { place: string }
  server: { timeout(request: Request, seconds: number): void } | null
}

const FORM_LIMITS = { most_kib: MAX_FORM_BYTES / 1024, within_ms: 30_000 }
const ENDED_TEXT = 'This session has ended. Open Adminer again in the dashboard.'

/**
 * The pages of Adminer in the browser. They alone belong to no session of the dashboard: their
 * origin is another one, which gets no cookie but theirs.
 */
export function toolPages(deps: Deps) {
  const visits = new ToolRequests()
  const answer = async ({
    request,
    params: { place },
    server,
  }: ToolPageCall): Promise<Response> => {
    server?.timeout(request, 0)
    try {
      const known = deps.passes.read(place)
      if (!known) return toolPage(403, ENDED_TEXT)
      return await answerRequest(deps, visits, { request, place, known })
    } catch (error) {
      return refusalPage(deps, error)
    }
  }
  return new Elysia().get(`${TOOL_PATH}/:place`, answer).post(`${TOOL_PATH}/:place`, answer)
}

async function answerRequest(
  deps: Deps,
  visits: ToolRequests,
  { request, place, known }: { request: Request; place: string; known: ToolPlace },
): Promise<Response> {
  const { db, agents, passes } = deps
  const server = await getServer(db, known.server_id)
  const { domain } = refuseFound(await getSite(db, server.id, known.site_id))
  const query = queryOf(request.url).slice(1)
  const file = request.method === 'GET' ? new URLSearchParams(query).get('file') : null
  if (file !== null) {
    const { data } = ToolFile.safeParse(file)
    if (data === undefined) return toolPage(404, 'Adminer has no such file.')
    return visits.run(server.id, async () => {
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
  const pass = passes.open(place, cookieIn(request, TOOL_COOKIE) ?? '')
  if (!pass || !(await isLoggedIn(deps, pass.jti, known))) return toolPage(403, ENDED_TEXT)
  const form = await readBytes(request, FORM_LIMITS)
  const call = ToolRequest.safeParse({
    domain,
    user: known.user,
    password: pass.password,
    method: request.method,
    query,
    type: request.headers.get('content-type') ?? '',
    body: Buffer.from(form).toString('base64'),
  })
  if (!call.success) return toolPage(400, 'Adminer does not accept this request.')
  return visits.run(server.id, async () => {
    const { signal } = request
    const { body } = await agents.call(server, toolReading, call.data, { signal })
    return toolAnswer(body, `${TOOL_PATH}/${place}`)
  })
}

/**
 * Whether the session of the dashboard goes on, and its account may still see the secrets of the
 * site and lacks no second factor: the end of either ends the session of Adminer, too.
 */
async function isLoggedIn(
  { db, marks, clock }: Deps,
  jti: string,
  { site_id }: ToolPlace,
): Promise<boolean> {
  const session = await findSession({ db, marks }, jti)
  if (!session || session.expires_at <= timestamp(clock)) return false
  const [place] = await findPlaces(db, { site_id })
  const held = await findGrants({ db, marks }, session.user_id)
  if (await lacksFactor({ db, marks }, { user: session.user, ...held })) return false
  return place !== undefined && rightsAt(held, place).includes('secrets')
}

function refusalPage({ log }: Deps, error: unknown): Response {
  if (!(error instanceof ServiceError) || error.code === 'internal') {
    log.error('Adminer failed', error, {})
    return toolPage(500, 'Something went wrong: see the log of the dashboard.')
  }
  if (error.code === 'not_found') return toolPage(403, ENDED_TEXT)
  return toolPage(error.status, error.message)
}

/** The maximum of unanswered requests to one server, each of which holds a call to its agent. */
const MAX_CONCURRENT = 8

/** The requests to Adminer that wait for an answer, by server. */
class ToolRequests {
  readonly #running = new Map<number, number>()

  /** Throws `too_many` above the maximum. */
  async run<T>(server_id: number, work: () => Promise<T>): Promise<T> {
    const count = this.#running.get(server_id) ?? 0
    if (count >= MAX_CONCURRENT)
      throw tooMany('Adminer has too many requests on this server: try again', 5)
    this.#running.set(server_id, count + 1)
    try {
      return await work()
    } finally {
      const left = (this.#running.get(server_id) ?? 1) - 1
      if (left > 0) this.#running.set(server_id, left)
      else this.#running.delete(server_id)
    }
  }
}

const MAX_HEAD = 32 << 10
const NEWLINE = 10

/**
 * The policy of a page of Adminer, which shows the hostile content of a database. `sandbox` gives
 * it an origin of its own, without scripts: it can neither call the API nor read a page of this
 * dashboard.
 */
const POLICY = [
  'sandbox allow-forms allow-downloads',
  "default-src 'none'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = { ...SECURITY_HEADERS, 'content-security-policy': POLICY }
const HTML = { 'content-type': 'text/html; charset=utf-8' }
/** The statuses of Adminer that are kept; others become 200, and those of a redirect 303. */
const STATUSES = [200, 403, 404, 500]

/** Returns the answer of Adminer, of which the agent decides no header. */
async function toolAnswer(body: ReadableStream<Uint8Array>, url: string): Promise<Response> {
  const { head, content } = await readAnswer(body)
  const { status, type, location, disposition } = head
  if (location !== undefined)
    return new Response(null, {
      status: 303,
      headers: { ...HEADERS, location: `${url}${queryIn(location)}` },
    })
  const isPage = /^text\/html\b/i.test(type) && disposition === undefined
  const headers = isPage
    ? HTML
    : {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${fileNameIn(disposition)}"`,
      }
  return new Response(content, {
    status: STATUSES.includes(status) ? status : 200,
    headers: { ...HEADERS, ...headers },
  })
}

const FILE_TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  gif: 'image/gif',
  png: 'image/png',
  ico: 'image/x-icon',
}

/** Returns a file of the pages, which are another origin than this dashboard. */
async function toolFile(body: ReadableStream<Uint8Array>, file: string): Promise<Response> {
  const { content } = await readAnswer(body)
  const headers = {
    ...HEADERS,
    'content-type': FILE_TYPES[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    'cache-control': 'private, max-age=3600',
    'cross-origin-resource-policy': 'cross-origin',
  }
  return new Response(content, { headers })
}

/** Returns a page instead of one of Adminer. The text has no markup. */
function toolPage(status: number, text: string): Response {
  const page = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Adminer</title><h1>Adminer</h1><p>${escaped(text)}</p>`
  return new Response(page, { status, headers: { ...HEADERS, ...HTML } })
}

/** Reads an answer, whose first line is the head. Throws offline for another program. */
async function readAnswer(body: ReadableStream<Uint8Array>) {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_HEAD + MAX_PAGE_BYTES) throw offline('The agent sent a page that is too large')
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const end = bytes.indexOf(NEWLINE)
  const text = bytes.subarray(0, Math.max(0, Math.min(end, MAX_HEAD))).toString()
  const head = parseJson(ToolHead, text)
  if (!head) throw offline('The agent sent a malformed page')
  return { head, content: bytes.subarray(end + 1) }
}

/** Returns the query of a redirect, in which alone the pages of Adminer differ. */
function queryIn(location: string): string {
  const at = location.indexOf('?')
  return at < 0 ? '' : location.slice(at).replace(/[^!-~]|["<>\\^`{|}#]/g, '')
}

const fileNameIn = (disposition = ''): string =>
  /filename="?([\w.@+-]{1,100})/.exec(disposition)?.[1] ?? 'database.txt'

const escaped = (text: string) => text.replace(/[<>&"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
