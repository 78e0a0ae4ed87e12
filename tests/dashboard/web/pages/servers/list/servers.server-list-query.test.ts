import { expect, test } from 'bun:test'
import { arrange } from '#dashboard/web/pages/servers/list/arrange.ts'
import { readServersSearch } from '#dashboard/web/pages/servers/list/search.ts'
import { ServersQuery } from '#dashboard/web/pages/servers/list/servers.tsx'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import type { FleetServer } from '#shared/overview/api/fleet.ts'

const space = (used: number) => ({ used, total: 100, unit: 'MB' as const })

function server(name: string, more: Partial<FleetServer> = {}): FleetServer {
  return {
    id: 1,
    name,
    hostname: `${name}.example.net`,
    port: 8443,
    user: 'root',
    tags: [],
    os: 'Debian GNU/Linux 12 (bookworm)',
    version: '0.1.0',
    status: 'online',
    status_reason: '',
    failures: 0,
    sites_count: 0,
    last_sync: null,
    age: null,
    created_at: '2026-11-20T12:00:00.000Z',
    metrics: null,
    metrics_at: null,
    metrics_age: null,
    ...more,
  }
}

const read = (cpu: number, disk: number): Partial<FleetServer> => ({
  metrics: {
    cpu,
    ram: space(50),
    disk: space(disk),
    load: [0, 0, 0],
    uptime: 1,
    os: '',
    version: '',
  },
})

const fleet = [
  server('web-10', { ...read(10, 95), tags: ['eu', 'shops'] }),
  server('web-2', { ...read(80, 40), tags: ['eu'], status: 'offline' }),
  server('db-1', { status: 'pending', os: '' }),
]

test.each([
  [{}, 'db-1, web-2, web-10'],
  [{ order: 'desc' }, 'web-10, web-2, db-1'],
  [{ sort: 'cpu' }, 'web-10, web-2, db-1'],
  [{ sort: 'cpu', order: 'desc' }, 'web-2, web-10, db-1'],
  [{ sort: 'disk', order: 'desc' }, 'web-10, web-2, db-1'],
  [{ sort: 'status' }, 'web-2, db-1, web-10'],
  [{ tag: 'eu' }, 'web-2, web-10'],
  [{ status: 'offline' }, 'web-2'],
  [{ q: 'SHOPS web' }, 'web-10'],
  [{ q: 'bookworm 10' }, 'web-10'],
  [{ q: 'nothing' }, ''],
] as const)('%j lists %p', (search, names) => {
  const shown = arrange(fleet, search)
  expect(shown.map(({ name }) => name).join(', ')).toBe(names)
})

test('each invalid part of an address is refused', () => {
  const search = { status: 'asleep', sort: 'colour', order: 'up' }
  expect(mistakesIn(search, ServersQuery).map(({ name }) => name)).toEqual([
    'status',
    'sort',
    'order',
  ])
})

test('an address keeps filters and order', () => {
  const search = { q: 10, status: 'online', tag: 'eu', sort: 'cpu', order: 'desc' }
  expect(readServersSearch(search)).toEqual({
    q: '10',
    status: 'online',
    tag: 'eu',
    sort: 'cpu',
    order: 'desc',
  })
})
