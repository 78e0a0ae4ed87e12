import { SECURITY_HEADERS } from '#dashboard/kernel/http/headers.ts'
import { MAX_PAGE_BYTES, ToolHead } from '#shared/database/database-tool.ts'
import { offline } from '#shared/kernel/errors.ts'

const MAX_HEAD = 32 << 10
const NEWLINE = 10

/**
 * The content of a database is hostile, and Adminer shows it. `sandbox` gives its pages an origin
 * of their own, without scripts: they can neither call the API nor read a page of this dashboard.
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
/** Other statuses of Adminer are shown as 200, and those of a redirect as 303. */
const STATUSES = [200, 403, 404, 500]

/** The answer of Adminer, of which the agent decides no header. */
export async function toolAnswer(body: ReadableStream<Uint8Array>, url: string): Promise<Response> {
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

/** A file of its pages, which are another origin than this dashboard. */
export async function toolFile(body: ReadableStream<Uint8Array>, file: string): Promise<Response> {
  const { content } = await readAnswer(body)
  const headers = {
    ...HEADERS,
    'content-type': FILE_TYPES[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    'cache-control': 'private, max-age=3600',
    'cross-origin-resource-policy': 'cross-origin',
  }
  return new Response(content, { headers })
}

/** A page instead of one of Adminer. The text has no markup. */
export function toolPage(status: number, text: string): Response {
  const page = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Adminer</title><h1>Adminer</h1><p>${escaped(text)}</p>`
  return new Response(page, { status, headers: { ...HEADERS, ...HTML } })
}

/** The first line is the head. Throws offline for an answer that none of our agents sends. */
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
  const head = ToolHead.safeParse(parsed(text)).data
  if (!head) throw offline('The agent sent a malformed page')
  return { head, content: bytes.subarray(end + 1) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Adminer redirects to its own pages only, which differ in the query. */
function queryIn(location: string): string {
  const at = location.indexOf('?')
  return at < 0 ? '' : location.slice(at).replace(/[^!-~]|["<>\\^`{|}#]/g, '')
}

const fileNameIn = (disposition = ''): string =>
  /filename="?([\w.@+-]{1,100})/.exec(disposition)?.[1] ?? 'database.txt'

const escaped = (text: string) => text.replace(/[<>&"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
