import { mkdtempSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { requestFpm, startFpm } from './fpm-once.ts'

const PagesRequest = z.object({
  program: z.string(),
  values: z.array(z.string()),
  prepend: z.string(),
  docroot: z.string(),
  host: z.string(),
  paths: z.array(z.string()).max(10),
})
type PagesRequest = z.infer<typeof PagesRequest>

const LIMITS = { timeout_ms: 60_000, most: 16 << 20 }

/**
 * `hosting-agent pages`: starts PHP-FPM with the settings on standard input, asks it for pages, and
 * prints what the answers are like. Runs with the rights of a hidden site, and ends with it.
 */
export async function pages(): Promise<never> {
  const request = PagesRequest.parse(JSON.parse(await text(process.stdin)))
  const folder = mkdtempSync('/tmp/pages-')
  const socket = `${folder}/fpm.sock`
  writeFileSync(`${folder}/prepend.php`, request.prepend)
  writeFileSync(`${folder}/fpm.conf`, configOf(request, folder, socket))
  const fpm = await startFpm(request.program, [`${folder}/fpm.conf`], socket)
  try {
    const answers = []
    for (const path of request.paths) {
      const answer = await requestFpm(socket, { params: paramsOf(request, path) }, LIMITS)
      answers.push({ path, ...pageOf(answer?.toString('utf8')) })
    }
    console.log(JSON.stringify(answers))
  } finally {
    fpm.kill('SIGKILL')
  }
  process.exit(0)
}

const configOf = ({ values }: PagesRequest, folder: string, socket: string) =>
  [
    '[global]',
    'error_log = /dev/null',
    '[hidden]',
    `listen = ${socket}`,
    'pm = static',
    'pm.max_children = 1',
    'clear_env = yes',
    'env[PATH] = /usr/local/bin:/usr/bin:/bin',
    'security.limit_extensions = .php',
    ...values,
    `php_admin_value[auto_prepend_file] = ${folder}/prepend.php`,
    '',
  ].join('\n')

function paramsOf({ docroot, host }: PagesRequest, path: string): Record<string, string> {
  const [script = '/', query = ''] = path.split('?')
  const name = script.endsWith('.php') ? script : '/index.php'
  return {
    GATEWAY_INTERFACE: 'CGI/1.1',
    SERVER_PROTOCOL: 'HTTP/1.1',
    SERVER_SOFTWARE: 'nginx',
    REQUEST_METHOD: 'GET',
    REQUEST_SCHEME: 'https',
    HTTPS: 'on',
    QUERY_STRING: query,
    REQUEST_URI: path,
    DOCUMENT_URI: name,
    SCRIPT_NAME: name,
    DOCUMENT_ROOT: docroot,
    SCRIPT_FILENAME: `${docroot}${name}`,
    HTTP_HOST: host,
    SERVER_NAME: host,
    SERVER_PORT: '443',
    SERVER_ADDR: '127.0.0.1',
    REMOTE_ADDR: '127.0.0.1',
    REMOTE_PORT: '40000',
    REDIRECT_STATUS: '200',
    HTTP_ACCEPT: 'text/html,*/*',
  }
}

/** The summary of an answer of PHP, without its content. */
interface PageSummary {
  /** The HTTP status; 0 without an answer. */
  status: number
  /** True for a redirect, an answer that is no page, and a page with its end. */
  complete: boolean
}

const END = /<\/(html|rss|feed|rdf:RDF)\s*>/i
const NEEDS_END = /^(text\/html|application\/(rss|atom|xhtml|rdf)\+xml|text\/xml)\b/i

/** Parses a CGI answer (RFC 3875): header fields, an empty line, content. */
export function pageOf(answer: string | undefined): PageSummary {
  const [head = '', ...parts] = (answer ?? '').split(/(\r?\n\r?\n)/)
  if (parts.length === 0) return { status: 0, complete: false }
  const body = parts.slice(1).join('')
  const fields = new Map(head.split(/\r?\n/).map(fieldOf))
  const location = fields.has('location')
  const status = Number(/^\d{3}/.exec(fields.get('status') ?? '')?.[0] ?? (location ? 302 : 200))
  const isPage = status === 200 && NEEDS_END.test(fields.get('content-type') ?? '')
  return { status, complete: !isPage || END.test(body) }
}

function fieldOf(line: string): [string, string] {
  const at = line.indexOf(':')
  return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]
}
