import { expect, test } from 'bun:test'
import { QueryClient } from '@tanstack/react-query'
import { createMemoryHistory, createRouter } from '@tanstack/react-router'
import { parsePlain, writePlain } from '#dashboard/web/app/plain-search.ts'
import { ownAddress } from '#shared/kernel/own-address.ts'

// What the modules of the pages ask a browser for when they are loaded.
const BROWSER = {
  document: { querySelector: () => null, documentElement: { dataset: {} } },
  matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
  addEventListener: () => undefined,
}
Object.assign(globalThis, BROWSER)
const { routeTree } = await import('#dashboard/web/app/routes.tsx')
for (const name of Object.keys(BROWSER)) Reflect.deleteProperty(globalThis, name)

const EVIL = 'http://evil.example/x'
const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, EVIL]))

/** The names of the search parameters of all pages, and one that no page knows. */
const NAMES = [
  ...['q', 'server_id', 'tag', 'status', 'health', 'php', 'tier', 'wp_version', 'disk', 'errors'],
  ...['tls', 'framework', 'updates', 'expiring', 'managed', 'ignored', 'staging', 'conflict'],
  ...['sort', 'order', 'type', 'site_id', 'bulk_id', 'before', 'state', 'page', 'domain', 'op'],
  ...['to', 'tab', 'part', 'operation', 'primary', 'login', 'range', 'unknown'],
]

/** A list names the mistakes in its address: in the values of filters, and in names. */
const LIST = texts(...NAMES)
const { part: _, operation: __, ...BACKUPS } = LIST

/** What each page sees of an address whose every parameter is a hostile one. */
const SEEN: Record<string, Record<string, unknown>> = {
  '/login': {},
  '/invitation': {},
  '/': {},
  '/servers': LIST,
  '/servers/new': {},
  '/servers/$server_id': {},
  '/servers/$server_id/lost': {},
  '/sites': LIST,
  '/sites/new': {},
  '/sites/$site_id': {},
  '/operations': LIST,
  '/operations/bulk/$bulk_id': LIST,
  '/operations/$operation_id': {},
  '/backups': BACKUPS,
  '/people': {},
  '/people/$person_id': {},
  '/reset': {},
  '/sso/$provider': texts('state'),
  '/second-factor': {},
  '/your-sites': {},
  '/your-sites/$site_id': {},
  '/trash': {},
  '/activity': LIST,
  '/settings': {},
  '/account': {},
  '/docs': texts('q', 'op'),
  '/docs/components': {},
  '/$': {},
}

const routerAt = (address: string) =>
  createRouter({
    routeTree,
    context: { client: new QueryClient() },
    parseSearch: parsePlain,
    stringifySearch: writePlain,
    history: createMemoryHistory({ initialEntries: [address] }),
  })

/** What the page at the address sees of its parameters. */
function seenAt(address: string): Record<string, unknown> {
  const router = routerAt(address)
  const search: object = router.matchRoutes(router.latestLocation).at(-1)?.search ?? {}
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
}

test('no page sees a parameter that its validator dropped', () => {
  const query = new URLSearchParams(NAMES.map((name) => [name, EVIL]))
  const paths = Object.keys(routerAt('/').routesByPath)

  const seen = paths.map((path) => [path, seenAt(`${path.replace(/\$\w*/g, '1')}?${query}`)])

  expect(Object.fromEntries(seen)).toEqual(SEEN)
})

test('pages see what their validators take', () => {
  expect(seenAt('/sites/1?tab=domains&primary=true&operation=a&x=y')).toEqual({
    tab: 'domains',
    primary: true,
    operation: 'a',
  })
  expect(seenAt('/backups?part=kit&q=a')).toEqual({ part: 'kit', q: 'a' })
  expect(seenAt('/login?to=/sites?q=a%26b')).toEqual({ to: '/sites?q=a&b' })
})

test.each([
  EVIL,
  'https://evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/%2e//evil.example',
  '/x/..//evil.example',
  'http:evil.example',
  'http:/evil.example',
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'evil.example',
  '@evil.example',
  '',
])('a login does not lead to %j', (to) => {
  expect(seenAt(`/login?${new URLSearchParams({ to })}`)).toEqual({})
  expect(ownAddress(to, 'https://dash.example')).toBeUndefined()
})

test.each(['/', '/sites?status=active,suspended&q=a%26b#top', '/servers/1?range=1h'])(
  'a login leads to %s',
  (to) => {
    expect(ownAddress(to, 'https://dash.example')).toBe(to)
  },
)
