import { type CloudflareOptions, CloudflareZones, wrong } from './zones.ts'

const BEARER = /^Bearer [A-Za-z0-9_-]{20,}$/

/** The calls of Cloudflare's API v4 that are used, with its rules for tokens, names and records. */
export function startCloudflare({ token, port = 0, ...options }: CloudflareOptions) {
  const zones = new CloudflareZones(options)
  const calls: string[] = []
  /** The methods whose next answer is lost, after the work is done. */
  const losses = new Set<string>()

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    calls.push(`${request.method} ${pathname}`)
    const given = request.headers.get('authorization') ?? ''
    if (!BEARER.test(given)) return wrong(400, 6003, 'Invalid request headers')
    if (given !== `Bearer ${token}`) return wrong(403, 9109, 'Invalid access token')
    const path = pathname.replace(/^\/client\/v4/, '')
    return path === '/zones' ? zones.list(searchParams) : zones.answer(request, path, searchParams)
  }

  async function passed(request: Request): Promise<Response> {
    const response = await answer(request)
    return losses.delete(request.method) ? new Response('Bad gateway', { status: 502 }) : response
  }

  const server = Bun.serve({ port, hostname: '127.0.0.1', fetch: passed })
  const api = `http://127.0.0.1:${server.port}/client/v4`
  const { records, refusals, strays, purges, denials, gone } = zones
  const state = { records, refusals, losses, strays, purges, denials, gone, calls }
  return { api, ...state, stop: () => server.stop(true) }
}
