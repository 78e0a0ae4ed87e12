import { describe, expect, test } from 'bun:test'
import type { KnownSite } from '#dashboard/features/servers/sync/queries.ts'
import { discoveredColumns } from '#dashboard/features/servers/sync/site-columns.ts'
import * as plans from '#dashboard/features/servers/sync/sync-plan.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import type { FoundSite } from '#shared/kernel/found-site.ts'
import { SITE_STATUSES } from '#shared/kernel/values.ts'
import type { TrashedSite } from '#shared/servers/agent.ts'
import { found } from '#tests/support/found-sites.ts'

const record = (status: SiteRow['status'], more: Partial<KnownSite> = {}): KnownSite => ({
  id: 1,
  server_id: 1,
  domain: 'shop.example',
  apex: 'shop.example',
  email: '',
  managed: true,
  found: false,
  ignored_at: null,
  closed: false,
  staging: false,
  unknown: {},
  status,
  status_reason: '',
  former_status: null,
  last_scan: null,
  missing_since: null,
  certificate_expires_at: '',
  ...{ trashed_at: null, purge_at: null },
  ...{ trash_size: null, disk: null, disk_level: null },
  health: null,
  health_code: '',
  health_reason: '',
  health_since: null,
  ...{ reported_identity: null, created_at: '2026-01-01T00:00:00.000Z' },
  user: 'shop',
  docroot: '/srv/www/shop/public',
  php: '8.2',
  tier: 'small',
  tls: 'none',
  framework: 'wordpress',
  wp_version: '6.9',
  db_name: 'shop',
  database_routines: false,
  xmlrpc: true,
  updates_plugins: 2,
  updates_themes: null,
  ...{ updates_core: true, operating: false },
  ...more,
})

const SHOP = { id: 1, domain: 'shop.example' }
const nothing = { updates: [], imports: [], trashed: [], others: 0, missing: [] }

const byDomain = <T extends { domain: string }>(sites: readonly T[]) => ({
  sites: new Map(sites.map((site) => [site.domain, site])),
  whole: true,
})

type Trash = { sites: readonly TrashedSite[]; purge_at: string }

const planSync = (records: KnownSite[], found: FoundSite[], trash?: Trash) =>
  plans.planSync(records, byDomain(found), trash && { ...trash, ...byDomain(trash.sites) })

const needsTrash = (records: KnownSite[], found: FoundSite[]) =>
  plans.needsTrash(records, byDomain(found))

const status_reason = 'The agent does not find the site any more'

describe('a sync', () => {
  test('changes nothing when records and server agree', async () => {
    expect(await planSync([record('active')], [found('shop.example')])).toEqual(nothing)
  })

  test('applies only changes', async () => {
    const plan = await planSync([record('active', { php: '8.1' })], [found('shop.example')])

    expect(plan).toEqual({
      ...nothing,
      updates: [{ ...SHOP, from: 'active', values: { php: '8.2' } }],
    })
  })

  test('imports unknown sites', async () => {
    const site = found('new.example')

    expect(await planSync([], [site])).toEqual({ ...nothing, imports: [site] })
  })

  test.each(SITE_STATUSES)('handles a site that is %s and was not found', async (status) => {
    const plan = await planSync([record(status)], [])
    const lost = status === 'active' || status === 'suspended'
    const values = { status: 'missing' as const, status_reason }

    expect(plan).toEqual(
      lost ? { ...nothing, updates: [{ ...SHOP, from: status, values }], missing: [1] } : nothing,
    )
  })

  test.each(['missing', 'failed'] as const)('restores a record that was %s', async (status) => {
    const plan = await planSync([record(status, { status_reason })], [found('shop.example')])
    const values = { status: 'active' as const, status_reason: '' }

    expect(plan).toEqual({ ...nothing, updates: [{ ...SHOP, from: status, values }] })
  })

  test.each(['provisioning', 'deleting'] as const)(
    'does not change a site that is %s',
    async (status) => {
      const other = found('shop.example', { php: '8.4' })

      expect(await planSync([record(status)], [other])).toEqual(nothing)
    },
  )
})

describe('the trash of a server', () => {
  const kept = {
    domain: 'shop.example',
    user: 'shop',
    size: 4096,
    deleted_at: '2026-02-01T00:00:00.000Z',
    restorable: true,
    php: '8.2',
    tier: 'small' as const,
    tls: 'none' as const,
  }
  const purge_at = '2026-03-01T00:00:00.000Z'
  const trash = { sites: [kept], purge_at }
  const empty = { sites: [], purge_at }
  const trashed = record('trashed', { trashed_at: kept.deleted_at, purge_at, trash_size: 4096 })
  const live = { status: 'active', status_reason: '' } as const
  const cleared = { trashed_at: null, purge_at: null, trash_size: null }

  test('agrees with a record that says so', async () => {
    expect(await planSync([trashed], [], trash)).toEqual(nothing)
  })

  test('changes no record before it is read', async () => {
    expect(await planSync([trashed], [])).toEqual(nothing)
  })

  test('no longer has a site that is served again', async () => {
    const values = { status: live.status, ...cleared }
    const plan = await planSync([trashed], [found('shop.example')], empty)

    expect(plan).toEqual({ ...nothing, updates: [{ ...SHOP, from: 'trashed', values }] })
  })

  test('no longer has a site that is nowhere', async () => {
    const reason = 'The site is not in the trash of its server any more'
    const values = { status: 'missing' as const, status_reason: reason, ...cleared }
    const plan = await planSync([trashed], [], empty)

    expect(plan).toEqual({
      ...nothing,
      updates: [{ ...SHOP, from: 'trashed', values }],
      missing: [1],
    })
  })

  test.each(['active', 'suspended', 'missing'] as const)(
    'has a site that was %s',
    async (status) => {
      const values = {
        status: 'trashed' as const,
        status_reason: '',
        trashed_at: kept.deleted_at,
        purge_at,
        trash_size: 4096,
      }
      const plan = await planSync([record(status)], [], trash)

      expect(plan).toEqual({ ...nothing, updates: [{ ...SHOP, from: status, values }] })
    },
  )

  test.each(['failed', 'provisioning', 'deleting'] as const)(
    'does not affect a site that is %s',
    async (status) => {
      expect(await planSync([record(status)], [], trash)).toEqual(nothing)
      expect(needsTrash([record(status)], [])).toBe(false)
    },
  )

  test('has an unknown site', async () => {
    expect(await planSync([], [], trash)).toEqual({ ...nothing, trashed: [kept] })
  })

  test('is read only when a site is not where it was', () => {
    expect(needsTrash([record('active')], [])).toBe(true)
    expect(needsTrash([trashed], [])).toBe(true)
    expect(needsTrash([record('active')], [found('shop.example')])).toBe(false)
    expect(needsTrash([], [found('shop.example')])).toBe(false)
  })
})

test('unknown counts stay unknown', () => {
  expect(discoveredColumns(found('shop.example'))).toMatchObject({
    updates_plugins: 2,
    updates_themes: null,
    updates_core: true,
  })
})

const domain = 'shop.example'

async function after(status: KnownSite['status'], more: Partial<FoundSite>) {
  const site = found(domain, more)
  const record = { id: 1, domain, apex: domain, status, status_reason: 'asked for' } as KnownSite
  const { updates } = await plans.planSync([record], {
    sites: new Map([[domain, site]]),
    whole: true,
  })
  return { status, status_reason: 'asked for', ...updates[0]?.values }
}

test.each([
  { was: 'active', suspended: true, is: 'suspended' },
  { was: 'missing', suspended: true, is: 'suspended' },
  { was: 'trashed', suspended: true, is: 'suspended' },
  { was: 'suspended', suspended: undefined, is: 'active' },
] as const)('a site that was $was is $is if its server says so', async ({ was, suspended, is }) => {
  expect(await after(was, suspended ? { suspended } : {})).toMatchObject({
    status: is,
    status_reason: '',
  })
})

test.each(['active', 'suspended'] as const)(
  'a site that is still %s keeps its reason',
  async (was) => {
    expect(await after(was, was === 'suspended' ? { suspended: true } : {})).toMatchObject({
      status: was,
      status_reason: 'asked for',
    })
  },
)
