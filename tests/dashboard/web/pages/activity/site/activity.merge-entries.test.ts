import { expect, test } from 'bun:test'
import { mergeEntries } from '#dashboard/web/pages/activity/site/activity.tsx'

const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`
const place = {
  server_id: 1,
  server: 'web-1',
  site_id: 1,
  bulk_id: null,
  domain: 'a.example',
  detail: null,
  token: null,
  via: 'session' as const,
  address: null,
}

test('activity and operations of a site are one list, newest first, each operation once', () => {
  const created = {
    ...{ id: 'op-1', type: 'site.create' as const, status: 'success' as const },
    ...{ warnings: [], next_at: null, created_at: at(1) },
  }
  const scanned = { ...created, id: 'op-2', type: 'tls.issue' as const, created_at: at(2) }
  const create = {
    ...{ id: 7, type: 'site.create', status: 'success' as const, actor: 'ann@example.com' },
    ...{ operation_id: 'op-1', created_at: at(1), ...place },
  }
  const shown = { ...create, id: 8, type: 'site.db_password', operation_id: null, actor: null }
  const script = { ...create, id: 9, token: 'deploy', address: '203.0.113.7', operation_id: null }
  const activities = [{ ...shown, created_at: at(3) }, { ...script, created_at: at(1.5) }, create]

  expect(mergeEntries(activities, [scanned, created])).toEqual([
    {
      ...{ key: '8', type: 'site.db_password', actor: 'System', status: 'success' },
      ...{ created_at: at(3), detail: null, address: null, operation: undefined },
    },
    {
      ...{ key: 'op-2', type: 'tls.issue', actor: 'System', status: 'success' },
      ...{ created_at: at(2), detail: null, address: null, operation: scanned },
    },
    {
      ...{ key: '9', type: 'site.create', status: 'success', created_at: at(1.5), detail: null },
      ...{ actor: 'Token deploy of ann@example.com', address: '203.0.113.7', operation: undefined },
    },
    {
      ...{ key: '7', type: 'site.create', actor: 'ann@example.com', status: 'success' },
      ...{ created_at: at(1), detail: null, address: null, operation: created },
    },
  ])
})
