import { describe, expect, test } from 'bun:test'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { refuseWrongState } from '#dashboard/kernel/engine/refuse-wrong-state.ts'
import { type RulesDeps, rulesOf } from '#dashboard/kernel/engine/rules.ts'
import { RULES } from '#dashboard/operation-types.ts'
import { SITE_STATUSES } from '#shared/kernel/values.ts'
import { BULK_NAMES, OPERATION_NAMES, OPERATION_TYPES } from '#shared/operation-types.ts'

const server = { id: 1, hostname: 'web-1.example', php_versions: ['8.4'] } as ServerRow
const site = {
  ...{ id: 1, domain: 'shop.example', user: 'shop', php: '8.2', email: 'ann@shop.example' },
  tier: 'small',
  ...{ found: false, status: 'active' },
} as SiteRow
const types = { types: RULES }

/** A value for each field that a bulk call may have, other than its default. */
const VALUES: Record<string, unknown> = {
  php: '8.4',
  tier: 'large',
  tls: 'self-signed',
  service: 'mariadb',
  php_versions: ['8.4'],
  accept: ['php_restarted'],
  action: 'check',
  memory: 32,
  scope: 'all',
  restart_database: true,
  maintenance: { allow: ['203.0.113.7'], message: '' },
  php_settings: { memory_limit: 256, values: {} },
  page_cache: { enabled: false, paths: [], cookies: [] },
  xmlrpc: 'jetpack',
  trusted_cdn: 'Cloudflare',
  page_purge: true,
  csp: 'report',
  hsts: 'off',
}

/** They decide before the operation is stored. */
const DECIDES: readonly string[] = ['without_backup']

/**
 * Those that read builds, records or the clock for their params, and one that takes one field of
 * two: they have tests of their own.
 */
const READS: readonly string[] = [
  ...['agent.upgrade', 'backup.create', 'site.access', 'site.delete', 'site.jobs', 'site.recover'],
  'wp.debug',
]

describe('the rules of the types of operations', () => {
  test.each(BULK_NAMES.filter((type) => !READS.includes(type)))(
    '%s stores every field of its bulk call',
    async (type) => {
      const { bulk, params } = OPERATION_TYPES[type]
      const names = Object.keys(bulk.words).filter((name) => !DECIDES.includes(name))
      const given = Object.fromEntries(names.map((name) => [name, VALUES[name]]))
      const target = { server, ...(OPERATION_TYPES[type].target === 'site' && { site }) }

      const checked = params.parse(bulk.params.parse(given))
      const none = {} as RulesDeps
      const stored = await rulesOf(types, type).params(none, { ...target, actor: null }, checked)

      expect(stored).toMatchObject(given)
    },
  )

  test.each(OPERATION_NAMES)('%s has a bulk call in both tables, or in none', (type) => {
    expect(RULES[type].bulk === null).toBe(OPERATION_TYPES[type].bulk === null)
  })

  test('name the states in which each type is refused', () => {
    const refused = OPERATION_NAMES.map((type) => [
      type,
      SITE_STATUSES.filter((status) => {
        try {
          refuseWrongState(RULES[type].site, { ...site, status })
          return false
        } catch {
          return true
        }
      }),
    ])
    const made = SITE_STATUSES.filter((status) => status !== 'failed' && status !== 'cancelled')
    const unused = SITE_STATUSES.filter((status) => status !== 'active' && status !== 'suspended')
    const present = SITE_STATUSES.filter((status) => status !== 'trashed')
    const ofServer = [
      'agent.upgrade',
      'backup.check',
      'isolation.check',
      'server.provision',
      'server.sync',
    ]
    const moves = ['site.move', 'site.move-back']
    const inactive = SITE_STATUSES.filter((status) => status !== 'active')
    const repeatable = inactive.filter((status) => status !== 'missing')
    const none = [...ofServer, 'server.update', 'updates.configure', 'service.restart']

    expect(Object.fromEntries(refused)).toEqual({
      ...Object.fromEntries(OPERATION_NAMES.map((type) => [type, ['trashed']])),
      ...Object.fromEntries(none.map((type) => [type, []])),
      ...Object.fromEntries(
        [
          ...['site.access', 'site.configure', 'site.jobs', 'site.suspend', 'site.resume'],
          ...['database.import', 'database.maintain', 'database.tool', 'database.user'],
        ].map((type) => [type, unused]),
      ),
      ...Object.fromEntries(
        ['site.move-confirm', 'site.job-run', 'wp.cron-run'].map((type) => [type, inactive]),
      ),
      ...Object.fromEntries(moves.map((type) => [type, repeatable])),
      'site.rename': inactive,
      'site.rename-preview': inactive,
      'site.clone': made,
      'site.create': made,
      'site.recover': ['provisioning', 'deleting', 'trashed'],
      'site.restore': present,
      'site.purge': present,
      'staging.password': unused,
      'site.object-cache': unused,
      'wp.debug': unused,
    })
  })

  test('allow only a scan of a discovered site', () => {
    const found = OPERATION_NAMES.filter((type) => RULES[type].site?.found)

    expect(found).toEqual(['site.scan'])
  })
})
