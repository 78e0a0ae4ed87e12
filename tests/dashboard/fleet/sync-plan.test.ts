import { describe, expect, test } from 'bun:test'
import type { SiteRow } from '#dashboard/db/rows.ts'
import { factsOf, isTrashAsked, planSync } from '#dashboard/fleet/sync-plan.ts'
import { SITE_STATUSES } from '#shared/values.ts'
import { found } from '../support/sites.ts'

const record = (status: SiteRow['status'], more: Partial<SiteRow> = {}): SiteRow => ({
  id: 1,
  server_id: 1,
  domain: 'shop.example',
  apex: 'shop.example',
  email: '',
  managed: true,
  status,
  status_reason: '',
  former_status: null,
  inventory: null,
  last_scan: null,
  certificate_expires_at: '',
  trashed_at: null,
  purge_at: null,
  trash_size: null,
  created_at: '2026-01-01T00:00:00.000Z',
  user: 'shop',
  docroot: '/home/shop/shop.example',
  php: '8.2',
  tier: 'small',
  tls: 'none',
  framework: 'wordpress',
  wp_version: '6.9',
  db_name: 'shop',
  updates_plugins: 2,
  updates_themes: null,
  updates_core: true,
  ...more,
})

const nothing = { updates: [], imports: [], trashed: [], missing: [] }
const status_reason = 'The agent does not find the site any more'

describe('a sync', () => {
  test('changes nothing when records and server agree', () => {
    expect(planSync([record('active')], [found('shop.example')])).toEqual(nothing)
  })

  test('takes over what changed, and only that', () => {
    const plan = planSync([record('active', { php: '8.1' })], [found('shop.example')])

    expect(plan).toEqual({
      ...nothing,
      updates: [{ id: 1, from: 'active', values: { php: '8.2' } }],
    })
  })

  test('imports what is not on record', () => {
    const site = found('new.example')

    expect(planSync([], [site])).toEqual({ ...nothing, imports: [site] })
  })

  test.each(SITE_STATUSES)('of a site that is %s and was not found', (status) => {
    const plan = planSync([record(status)], [])
    const lost = status === 'active' || status === 'suspended'
    const values = { status: 'missing' as const, status_reason }

    expect(plan).toEqual(
      lost ? { ...nothing, updates: [{ id: 1, from: status, values }], missing: [1] } : nothing,
    )
  })

  test.each(['missing', 'failed'] as const)('brings back a site that was %s', (status) => {
    const plan = planSync([record(status, { status_reason })], [found('shop.example')])
    const values = { status: 'active' as const, status_reason: '' }

    expect(plan).toEqual({ ...nothing, updates: [{ id: 1, from: status, values }] })
  })

  test.each(['provisioning', 'deleting'] as const)('leaves a site alone that is %s', (status) => {
    const other = found('shop.example', { php: '8.4' })

    expect(planSync([record(status)], [other])).toEqual(nothing)
  })
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

  test('agrees with a record that says so', () => {
    expect(planSync([trashed], [], trash)).toEqual(nothing)
  })

  test('changes no record while nobody asked for it', () => {
    expect(planSync([trashed], [])).toEqual(nothing)
  })

  test('had a site that is served again', () => {
    const values = { status: live.status, ...cleared }
    const plan = planSync([trashed], [found('shop.example')], empty)

    expect(plan).toEqual({ ...nothing, updates: [{ id: 1, from: 'trashed', values }] })
  })

  test('had a site that is nowhere any more', () => {
    const reason = 'The site is not in the trash of its server any more'
    const values = { status: 'missing' as const, status_reason: reason, ...cleared }
    const plan = planSync([trashed], [], empty)

    expect(plan).toEqual({
      ...nothing,
      updates: [{ id: 1, from: 'trashed', values }],
      missing: [1],
    })
  })

  test.each(['active', 'suspended', 'missing'] as const)('has a site that was %s', (status) => {
    const values = {
      status: 'trashed' as const,
      status_reason: '',
      trashed_at: kept.deleted_at,
      purge_at,
      trash_size: 4096,
    }
    const plan = planSync([record(status)], [], trash)

    expect(plan).toEqual({ ...nothing, updates: [{ id: 1, from: status, values }] })
  })

  test.each(['failed', 'provisioning', 'deleting'] as const)(
    'is nothing to one that is %s',
    (status) => {
      expect(planSync([record(status)], [], trash)).toEqual(nothing)
      expect(isTrashAsked([record(status)], [])).toBe(false)
    },
  )

  test('has a site that nobody knows', () => {
    expect(planSync([], [], trash)).toEqual({ ...nothing, trashed: [kept] })
  })

  test('is asked for when a site is not where it was, and only then', () => {
    expect(isTrashAsked([record('active')], [])).toBe(true)
    expect(isTrashAsked([trashed], [])).toBe(true)
    expect(isTrashAsked([record('active')], [found('shop.example')])).toBe(false)
    expect(isTrashAsked([], [found('shop.example')])).toBe(false)
  })
})

test('unknown counts stay unknown', () => {
  expect(factsOf(found('shop.example'))).toMatchObject({
    updates_plugins: 2,
    updates_themes: null,
    updates_core: true,
  })
})
