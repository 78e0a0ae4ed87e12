// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import * as hostile from '#tests/support/hostile.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { failedOn } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const { hostileText, noText } = hostile
const domain = [...hostile.hostileDomains, ...noText]
const php = [...hostile.hostilePhp, ...noText, 8.3]
const tier = [...hostile.hostileTiers, ...noText]
const tls = [...hostile.hostileTls, ...noText]
const user = [...hostile.hostileUsers, ...noText]
const server = {
  name: [...hostile.hostileNames, ...noText],
  hostname: [...hostile.hostileHosts, ...noText],
  port: hostile.hostilePorts,
  user,
  tags: hostile.hostileTags,
}
const notIds = [null, '1', 'abc', '', true, [], [1], {}, 0, -1, 1.5, 1e300, '1; drop table sites']

/** What the targets of a bulk operation cannot be. */
const targets = [
  ...[undefined, null, 'all', 7, [], [1], {}],
  ...[['1'], [0], [-1], [1.5], [null], [1e300], 1, '1', null].map((site_ids) => ({ site_ids })),
  ...[[9], ['1 or 1=1']].map((server_ids) => ({ server_ids })),
  ...['', ' ', 'x'.repeat(33), 7, null, "' or 1=1 --", '%'].map((tag) => ({ tag })),
  { site_ids: Array.from({ length: 10_001 }, (_, at) => at + 1) },
]

/** A call, a valid body for it, and the hostile forms of each of its fields. */
interface Subject {
  method: string
  path: string
  valid: Record<string, unknown>
  hostile: Record<string, readonly unknown[]>
}

const subjects: Record<string, Subject> = {
  'Adding a server': {
    method: 'POST',
    path: '/api/servers',
    valid: { name: 'Web 1', hostname: 'web1.example.com', port: 9443, user: 'deploy', tags: [] },
    hostile: server,
  },
  'Creating a token': {
    method: 'POST',
    path: '/api/auth/tokens',
    valid: { password: ADMIN.password },
    hostile: { name: [undefined, null, 7, [], {}, '', ' ', 'n'.repeat(65)] },
  },
  'Changing a server': { method: 'PATCH', path: '/api/servers/1', valid: {}, hostile: server },
  'Creating a site': {
    method: 'POST',
    path: '/api/servers/1/sites',
    valid: { domain: 'new.example', php: '8.2', tier: 'small', tls: 'none', email: 'a@b.example' },
    hostile: {
      domain,
      php,
      tier,
      tls,
      email: [...hostile.hostileEmails, ...noText],
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
      user: [...user, undefined],
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
  'Deleting a site permanently': {
    method: 'POST',
    path: '/api/servers/1/sites/1/purge',
    valid: {},
    hostile: { domain: [...domain, 'www.shop.example', undefined] },
  },
  'A bulk operation': {
    method: 'POST',
    path: '/api/bulk-operations',
    valid: { type: 'pool.apply', params: { tier: 'large' }, targets: { site_ids: [1] } },
    hostile: {
      type: [...noText, undefined, 'site.create', 'site.purge', 'wp.scan', '__proto__'],
      params: ['x', 7, [], [{ tier: 'large' }]],
      targets,
      parallel: [0, 21, -1, 1.5, '4', null, [], true],
      pause_after: [0, -1, 10_001, 1.5, '3', null, {}, false],
    },
  },
  ...settings({
    sync_interval: [0, -1, 1.5, -60, 1e300, '60', 'abc', '', '60; id', null, true, [], [60], {}],
    default_php: php,
    email_notifications: [null, 0, 1, 'true', 'false', '', 'yes', [], [true], {}],
  }),
}

function settings(forms: Record<string, readonly unknown[]>): Record<string, Subject> {
  const subject = ([key, value]: [string, readonly unknown[]]): [string, Subject] => [
    `The setting ${key}`,
    { method: 'PUT', path: `/api/settings/${key}`, valid: {}, hostile: { value } },
  ]
  return Object.fromEntries(Object.entries(forms).map(subject))
}

const cases = Object.entries(subjects).flatMap(([name, subject]) =>
  Object.keys(subject.hostile).map((field): [string, string, Subject] => [name, field, subject]),
)

describe('hostile fields', () => {
  const { client } = useDashboard()
  const records = async () =>
    Promise.all(
      ['servers', 'fleet', 'fleet/sites', 'activity', 'operations', 'bulk-operations', 'settings']
        .map((name) => `/api/${name}`)
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
