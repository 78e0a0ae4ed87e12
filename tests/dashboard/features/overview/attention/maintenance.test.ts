import { expect, test } from 'bun:test'
import { maintenanceTroubles } from '#dashboard/features/overview/attention/maintenance.ts'
import { listMaintenance } from '#dashboard/features/servers/maintenance/queries.ts'
import { reportStatements } from '#dashboard/features/servers/reports.queries.ts'
import { batch } from '#dashboard/kernel/db/client.ts'
import type { Maintenance } from '#shared/updates/maintenance.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { pendingPackage, WELL } from '#tests/support/maintenance.ts'

const AT = '2026-03-01T09:00:00.000Z'
const old = (name: string, kind: Maintenance['old_files'][number]['kind'], problem = '') => ({
  ...{ name, kind, domain: '', since: AT, problem },
})

/** The overview of one server whose agent reports this. */
async function troubles(report: Partial<Maintenance>, status = 'online') {
  await using dashboard = await makeDashboard()
  const { body } = await dashboard.call('POST', '/api/servers', {
    hostname: 'a.example',
    name: 'a',
  })
  const server_id = body.server.id
  const maintenance = { ...WELL, ...report }
  await dashboard.db.write((queries) =>
    batch(queries, reportStatements(queries, { server_id, now: AT }, { maintenance })),
  )
  const [row] = await listMaintenance(dashboard.db)
  const rows = row ? [{ ...row, status: status as 'online' }] : []
  return maintenanceTroubles(rows).map(({ kind, severity, items }) => [
    kind,
    severity,
    items.map(({ reason }) => reason),
  ])
}

test('nothing is reported for a healthy or an offline server', async () => {
  expect(await troubles({})).toEqual([])
  expect(await troubles({ packages: [pendingPackage('openssl')] }, 'offline')).toEqual([])
})

test.each([
  [true, 'info', 'the server installs them automatically within a day, or install them now'],
  [false, 'warning', 'install them'],
] as const)('pending security updates, unattended: %p', async (enabled, severity, advice) => {
  const names = ['openssl', 'libssl3', 'curl', 'tar']
  const packages = [pendingPackage('tzdata', false), ...names.map((name) => pendingPackage(name))]
  const unattended = { ...WELL.unattended, enabled }

  expect(await troubles({ packages, unattended })).toEqual([
    [
      'security_updates',
      severity,
      [`4 security updates pending (openssl, libssl3, curl and 1 more): ${advice}`],
    ],
  ])
})

test('a required reboot with its reasons', async () => {
  expect(await troubles({ reboot: { needed: true, reasons: ['kernel 6.1.0-40-amd64'] } })).toEqual([
    [
      'reboot_needed',
      'warning',
      ['An update takes effect with the next reboot (kernel 6.1.0-40-amd64): reboot the server'],
    ],
  ])
})

test.each([
  [
    [old('php-fpm:shop', 'site')],
    'info',
    'php-fpm:shop still runs files that an update has replaced: they are restarted automatically',
  ],
  [
    [old('php-fpm:shop', 'site', 'PHP-FPM refuses its configuration'), old('ssh', 'other')],
    'warning',
    'php-fpm:shop, ssh still run files that an update has replaced: PHP-FPM refuses its configuration',
  ],
  [
    [old('ssh', 'other', 'Restart it')],
    'info',
    'ssh still runs files that an update has replaced: restart them, or reboot the server',
  ],
] as const)('programs that run replaced files: %#', async (old_files, severity, reason) => {
  expect(await troubles({ old_files: [...old_files] })).toEqual([['old_files', severity, [reason]]])
})

test('services that end repeatedly, and not one that ended once', async () => {
  const restarts = [
    { name: 'nginx', count: 4, last_at: AT },
    { name: 'cron', count: 1, last_at: AT },
  ]

  expect(await troubles({ restarts })).toEqual([
    [
      'service_restarts',
      'warning',
      [
        'nginx ended unexpectedly 4 times within an hour and was started again: read its log on the server',
      ],
    ],
  ])
})
