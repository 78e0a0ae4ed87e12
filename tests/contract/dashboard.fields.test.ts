// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import {
  hostileDomains,
  hostileEmails,
  hostilePhp,
  hostileText,
  hostileTiers,
  hostileTls,
  hostileUsers,
  noText,
} from '#tests/support/hostile.ts'
import { failedOn } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const php = [...hostilePhp, ...noText, 8.3]
const tier = [...hostileTiers, ...noText]
const tls = [...hostileTls, ...noText]
const notIds = [null, '1', 'abc', '', true, [], [1], {}, 0, -1, 1.5, 1e300, '1; drop table sites']

/** A call, a valid body for it, and the hostile forms of each of its fields. */
interface Subject {
  method: string
  path: string
  valid: Record<string, unknown>
  hostile: Record<string, readonly unknown[]>
}

const subjects: Record<string, Subject> = {
  'Creating a site': {
    method: 'POST',
    path: '/api/servers/1/sites',
    valid: { domain: 'new.example', php: '8.2', tier: 'small', tls: 'none', email: 'a@b.example' },
    hostile: {
      domain: [...hostileDomains, ...noText],
      php,
      tier,
      tls,
      email: [...hostileEmails, ...noText],
    },
  },
  'Changing a site': {
    method: 'PATCH',
    path: '/api/servers/1/sites/1',
    valid: {},
    hostile: { php, tier },
  },
  'A certificate': {
    method: 'POST',
    path: '/api/servers/1/sites/1/tls',
    valid: {},
    hostile: { tls: [...tls, undefined] },
  },
  'A scan': {
    method: 'POST',
    path: '/api/servers/1/wp-scan',
    valid: {},
    hostile: { site_id: [...notIds, undefined] },
  },
  'Applying a pool': {
    method: 'POST',
    path: '/api/servers/1/pool-apply',
    valid: { user: 'shop', php_version: '8.2', tier: 'small' },
    hostile: {
      user: [...hostileUsers, ...noText, undefined],
      php_version: [...php, undefined],
      tier: [...tier, undefined],
    },
  },
  'Provisioning a server': {
    method: 'POST',
    path: '/api/servers/1/provision',
    valid: {},
    hostile: {
      php_versions: [null, 7, 'x', {}, ['-rf'], [8.3], Array(11).fill('8.3')],
      accept: [null, 7, 'x', {}, [7], ['everything'], Array(6).fill('php_restarted')],
    },
  },
  'Restarting a service': {
    method: 'POST',
    path: '/api/servers/1/services/restart',
    valid: {},
    hostile: { service: [...hostileText, ...noText, 'ssh', 'nginx;id', 'php-fpm:', undefined] },
  },
}

const cases = Object.entries(subjects).flatMap(([name, subject]) =>
  Object.keys(subject.hostile).map((field): [string, string, Subject] => [name, field, subject]),
)

describe('hostile fields', () => {
  const { client } = useDashboard()
  const records = async () =>
    Promise.all(
      ['/api/fleet', '/api/fleet/sites', '/api/activity', '/api/operations']
        .map((path) => client().get(path))
        .map(async (answer) => steady((await answer).text)),
    )
  beforeAll(async () => {
    await client().post('/api/servers', { hostname: '127.0.0.1', port: 1 })
    await client().post('/api/servers/1/sites', { domain: 'shop.example' })
  })

  test.each(cases)(
    '%s with a hostile %s is 422 on it and changes nothing',
    async (_, field, subject) => {
      const { method, path, valid, hostile } = subject
      const before = await records()
      for (const value of hostile[field] ?? []) {
        const call = { method, path, body: { ...valid, [field]: value } }
        const { status, body } = await client().send(call)

        expect({ value, status, body }).toEqual({ value, status: 422, body: failedOn(field) })
      }

      expect(await records()).toEqual(before)
    },
  )
})

/** Without what the scheduler and the waiting operation change by themselves. */
function steady(text: string): string {
  const moving =
    /"(age|attempts|deadline_at|failures|next_at|status_reason|error|status|reason|last_line)":("[^"]*"|null|\d+|\{[^}]*\})/g
  return text.replace(moving, '').replace(/"attention":\[.*\]/, '')
}
