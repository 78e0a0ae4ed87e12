import { afterEach, expect, test } from 'bun:test'
import { visitSite } from '#dashboard/features/health/visits/visit-site.ts'
import { OUTSIDE_AGENT } from '#shared/health/visits.ts'
import { selfSigned } from '#tests/support/mail/certificates.ts'

const servers: { stop(force: boolean): Promise<void> }[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop(true))))

/** The requests as the server got them. */
const requests: string[] = []
afterEach(() => void requests.splice(0))

function serve(
  answer: (request: Request) => Response | Promise<Response>,
  tls?: { key: string; cert: string },
): number {
  const server = Bun.serve({
    ...(tls && { tls }),
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url)
      const { headers } = request
      requests.push(`${headers.get('host')} ${pathname}${search} ${headers.get('user-agent')}`)
      return answer(request)
    },
  })
  servers.push(server)
  return server.port ?? 0
}

/** The name of the site leads to the loopback, as that of its server. */
const SITE = { domain: 'localhost', tls: false, hostname: '127.0.0.1' }
const visit = (
  http: number,
  given: { production?: boolean; timeout_ms?: number } = {},
  of = SITE,
) => {
  const { production = false, timeout_ms = 5_000 } = given
  const rules = { production, allow_private: false }
  const ports = { http, https: http }
  const random = () => 'r1'
  return visitSite(of, { rules, random, ports, timeout_ms }, new AbortController().signal)
}

test('requests the front page past caches, with its name and ours', async () => {
  const port = serve(() => new Response('a page'))

  expect(await visit(port)).toEqual({ state: 'up', code: 'up', reason: '' })
  expect(requests).toEqual([`localhost /?hosting-health=r1 ${OUTSIDE_AGENT}`])
})

test.each([
  ['an error', () => new Response('', { status: 500 }), 'down http_error'],
  ['an error page of WordPress', () => new Response('<body id="error-page">'), 'down http_fatal'],
  ['an empty page', () => new Response(''), 'degraded http_empty'],
  ['a megabyte', () => new Response('x'.repeat(1 << 20)), 'up up'],
  ['a stream without an end', () => new Response(endless()), 'up up'],
])('reads the beginning of %s', async (_, answer, expected) => {
  const verdict = await visit(serve(answer))

  expect(`${verdict?.state} ${verdict?.code}`).toBe(expected)
})

function endless(): ReadableStream {
  return new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(64 << 10).fill(97)),
  })
}

test('follows redirects between the names of a site only, and at the same address', async () => {
  const port = serve(({ headers }) =>
    headers.get('host') === 'localhost'
      ? Response.redirect('http://www.localhost/home', 301)
      : new Response('', { status: 500 }),
  )

  expect(await visit(port)).toMatchObject({ state: 'down', code: 'http_error' })
  expect(requests.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'localhost /?hosting-health=r1',
    'www.localhost /home',
  ])
})

test.each([
  ['another site', 'http://other.example/', 'http_redirect', 1],
  ['another port of this machine', 'http://localhost:22/', 'http_redirect', 1],
  ['another scheme', 'file:///etc/passwd', 'http_redirect', 1],
  ['itself', '/', 'http_loop', 1],
  ['a loop', '/a', 'http_loop', 2],
])('does not follow a redirect to %s', async (_, location, code, count) => {
  const port = serve(() => new Response('', { status: 302, headers: { location } }))

  expect((await visit(port))?.code).toBe(code)
  expect(requests).toHaveLength(count)
})

test('ends endless redirects', async () => {
  let turn = 0
  const port = serve(() => new Response('', { status: 302, headers: { location: `/${turn++}` } }))

  expect((await visit(port))?.code).toBe('http_redirect')
  expect(requests).toHaveLength(4)
})

test('does not wait for a page that does not come', async () => {
  const port = serve(() => new Promise<Response>(() => undefined))

  expect((await visit(port, { timeout_ms: 200 }))?.code).toBe('visit_timeout')
})

test('requests a site with any certificate over TLS', async () => {
  const { key, cert } = await selfSigned('other.example')
  const port = serve(() => new Response('a page'), { key, cert })

  expect(await visit(port, {}, { ...SITE, tls: true })).toMatchObject({ state: 'up', code: 'up' })
  expect(requests[0]).toStartWith('localhost /?')
})

test('tells a closed port from a broken TLS connection', async () => {
  const port = serve(() => new Response('a page'))
  const closed = serve(() => new Response(''))
  await servers.pop()?.stop(true)

  expect((await visit(closed))?.code).toBe('visit_refused')
  expect((await visit(port, {}, { ...SITE, tls: true }))?.code).toBe('visit_tls')
})

test('requests the server itself while the name does not lead there', async () => {
  const port = serve(() => new Response('a page'))
  const of = { ...SITE, domain: 'nowhere.invalid' }

  expect(await visit(port, {}, of)).toMatchObject({ state: 'up', code: 'visit_elsewhere' })
  expect(requests[0]).toStartWith('nowhere.invalid /')
})

test('connects to no address that the rules of this dashboard refuse', async () => {
  const port = serve(() => new Response('a page'))

  expect(await visit(port, { production: true })).toBeUndefined()
  expect(requests).toEqual([])
})
