import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { pathOf, queryOf } from '#dashboard/kernel/http/path.ts'
import { ROOT } from '#dashboard/kernel/runtime/program-paths.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { type BuiltPages, fileOf, readBuiltPages } from './files.ts'
import { handoffHeaders, PAGE_HEADERS } from './headers.ts'

interface Deps {
  /** The folder of the pages of build-web.ts; undefined: dist/ of the checkout. */
  web_dir: string | undefined
  demo: boolean
}

/** The first segments of the addresses of pages; the router in the browser has the rest. */
const PAGES = [
  'login',
  'invitation',
  'reset',
  'sso',
  'second-factor',
  'servers',
  'sites',
  'operations',
  'backups',
  'people',
  'trash',
  'activity',
  'settings',
  'account',
  'your-sites',
  'docs',
]
const CACHED_FOR_A_YEAR = 'public, max-age=31536000, immutable'
const DIST = join(ROOT, 'dist/web')
const HTML = { 'content-type': 'text/html; charset=utf-8' }
const UNBUILT_TEXT = `<!doctype html><title>Hosting Control</title>
<p>The pages are not built yet: run <code>bun run build:web</code>, then load this one again.</p>`

/** The pages and their files, for anybody: what they show comes from the API. */
export function webRoutes(deps: Deps) {
  const site = asBuilt(deps)
  const page = async ({ request }: { request: Request }) => answer(await site(), request)
  const routes = new Elysia().get('/', page).get('/assets/:name', async ({ params, request }) => {
    const asset = (await site())?.assets.get(params.name)
    if (!asset || !(await Bun.file(asset.path).exists())) throw notFound('File')
    const { path, encoding } = fileOf(asset, request.headers.get('accept-encoding') ?? '')
    const headers = {
      ...PAGE_HEADERS,
      'content-type': asset.type,
      'cache-control': CACHED_FOR_A_YEAR,
    }
    const coded = encoding ? { 'content-encoding': encoding } : {}
    const body = request.method === 'HEAD' ? null : Bun.file(path)
    return new Response(body, { headers: { ...headers, ...coded, vary: 'accept-encoding' } })
  })
  routes.get('/handoff', async ({ request }) => {
    const handoff = (await site())?.handoff
    const to = new URLSearchParams(queryOf(request.url)).get('to')
    const headers = { ...handoffHeaders(to), ...HTML, 'cache-control': 'no-store' }
    return new Response(handoff ?? UNBUILT_TEXT, { status: handoff ? 200 : 503, headers })
  })
  for (const name of PAGES) routes.get(`/${name}`, page).get(`/${name}/*`, page)
  return routes
}

/**
 * Returns the document for a person with an unknown address: the page says so, and links to the
 * overview. Undefined for a program, which gets the error itself, and for an address that is not
 * one of pages.
 */
export function unknownPage(deps: Deps) {
  const site = asBuilt(deps)
  return async (request: Request, status: number): Promise<Response | undefined> => {
    if (!isVisit(request) || (status !== 404 && status !== 401)) return undefined
    const built = await site()
    return built && answer(built, request, 404)
  }
}

/** Whether a person visits a page: only programs request the API and the files, in any spelling. */
function isVisit({ method, url, headers }: Request): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (!headers.get('accept')?.includes('text/html')) return false
  return !/^[/\\]*(api|assets|agent|health)([/\\]|$)/i.test(decoded(pathOf(url)))
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

type WebPages = BuiltPages & { etag: string }

async function readPages({ web_dir = DIST, demo }: Deps): Promise<WebPages | undefined> {
  const built = await readBuiltPages(web_dir)
  if (!built) return undefined
  const mark = '<meta name="demo" content="true"></head>'
  const document = demo ? built.document.replace('</head>', mark) : built.document
  const etag = `"${createHash('sha256').update(document).digest('base64url').slice(0, 22)}"`
  return { ...built, document, etag }
}

function answer(site: WebPages | undefined, request: Request, status = 200): Response {
  const headers = { ...PAGE_HEADERS, ...HTML }
  if (!site) return new Response(UNBUILT_TEXT, { status: 503, headers })
  const body = request.method === 'HEAD' ? null : site.document
  if (status !== 200) return new Response(body, { status, headers })
  const tagged = { ...headers, etag: site.etag, 'cache-control': 'no-cache' }
  if (request.headers.get('if-none-match') === site.etag)
    return new Response(null, { status: 304, headers: tagged })
  return new Response(body, { headers: tagged })
}

/** Reads the pages, and reads them again after another build. */
function asBuilt(deps: Deps): () => Promise<WebPages | undefined> {
  const document = join(deps.web_dir ?? DIST, 'index.html')
  let known: { built_at: number; site: Promise<WebPages | undefined> } | undefined
  return async () => {
    const built_at = (await stat(document).catch(() => undefined))?.mtimeMs
    if (built_at === undefined) return undefined
    if (known?.built_at !== built_at) known = { built_at, site: readPages(deps) }
    return known.site
  }
}
