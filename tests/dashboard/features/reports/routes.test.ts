import { afterEach, describe, expect, test } from 'bun:test'
import { backup_proofs } from '#dashboard/kernel/db/backup-schema.ts'
import type { SiteReport } from '#shared/reports/api/report.ts'
import { addBackup, setUp } from '#tests/support/dashboard/backup-attention.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { JPEG, PNG } from '#tests/support/dashboard/logos.ts'
import {
  addDays,
  addStates,
  addUpdates,
  dashboardWithSite,
} from '#tests/support/dashboard/reports.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function world(time = '2026-02-10T00:00:00.000Z') {
  const made = await dashboardWithSite(time)
  ends.push(() => made.dashboard[Symbol.asyncDispose]())
  const report = async (query = ''): Promise<SiteReport> =>
    (await made.dashboard.call('GET', `${made.path}${query}`)).body.report
  return { ...made, report }
}

const NO_BRANDING = {
  name: '',
  color: '#1f2937',
  text_color: '#ffffff' as const,
  reply_to: '',
  closing: '',
  logo: null,
}

describe('the report of a site', () => {
  test('has no figure of what was not recorded', async () => {
    const { report } = await world()
    const nothing = {
      uptime: null,
      traffic: null,
      refused: null,
      updates: null,
      backups: { made: 0, proven: 0, not_proven: 0 },
    }

    expect(await report()).toEqual({
      domain: 'shop.example',
      month: '2026-01',
      first_month: '2025-12',
      last_month: '2026-02',
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-02-01T00:00:00.000Z',
      complete: true,
      branding: NO_BRANDING,
      figures: nothing,
      previous: nothing,
      updates: [],
      outages: [],
      last_backup_at: null,
      last_proof: null,
    })
  })

  test('has the figures of the month, and of the one before', async () => {
    const { dashboard, id, report } = await world()
    await addStates(dashboard, id, [
      ['2025-12-05T00:00:00.000Z', 'up'],
      ['2026-01-10T00:00:00.000Z', 'down'],
      ['2026-01-10T01:00:00.000Z', 'up'],
    ])
    const [december, january, february] = ['2025-12-05', '2026-01-01', '2026-02-01'] as const
    const numbers = { requests: 100, server_errors: 1, php_requests: 10, php_ms: 2000 }
    await addDays(dashboard, id, { from: december, to: january, ...numbers, refused: 2 })
    await addDays(dashboard, id, { from: january, to: february, ...numbers, refused: 3 })
    const known = { since: '2025-12-05T00:00:00.000Z', scanned_at: '2026-02-05T00:00:00.000Z' }
    await addUpdates(dashboard, id, known, [
      ['2025-12-20T00:00:00.000Z', 'WordPress', '7.0', '7.0.1'],
      ['2026-01-12T00:00:00.000Z', 'WooCommerce', '10.4', '10.5'],
      ['2026-01-13T00:00:00.000Z', 'WooCommerce', '10.5', '10.4'],
      ['2026-02-02T00:00:00.000Z', 'WooCommerce', '10.4', '10.6'],
    ])

    const { figures, previous, updates, outages } = await report('?month=2026-01')

    const days = { days: 31, of_days: 31 }
    expect(figures).toEqual({
      uptime: { since: null, percent: 99.86, outages: 1, down_s: 3600, unknown_s: 0 },
      traffic: { since: null, ...days, requests: 3100, server_errors: 31, response_ms: 200 },
      refused: { since: null, ...days, requests: 93 },
      updates: { since: null, until: null, made: 1 },
      backups: { made: 0, proven: 0, not_proven: 0 },
    })
    const since = '2025-12-05T00:00:00.000Z'
    expect(previous).toEqual({
      uptime: { since, percent: 100, outages: 0, down_s: 0, unknown_s: 0 },
      traffic: {
        since,
        days: 27,
        of_days: 31,
        requests: 2700,
        server_errors: 27,
        response_ms: 200,
      },
      refused: { since, days: 27, of_days: 31, requests: 54 },
      updates: { since, until: null, made: 1 },
      backups: { made: 0, proven: 0, not_proven: 0 },
    })
    expect(updates).toEqual([
      {
        kind: 'plugin',
        name: 'WooCommerce',
        from: '10.4',
        to: '10.5',
        at: '2026-01-12T00:00:00.000Z',
      },
    ])
    expect(outages).toEqual([{ from: '2026-01-10T00:00:00.000Z', to: '2026-01-10T01:00:00.000Z' }])
  })

  test('counts days with an older agent as days without refused requests on record', async () => {
    const { dashboard, id, report } = await world()
    await addDays(dashboard, id, { from: '2026-01-01', to: '2026-01-21', requests: 1 })
    await addDays(dashboard, id, { from: '2026-01-21', to: '2026-02-01', refused: 4 })

    const { figures } = await report()

    expect(figures.refused).toEqual({
      since: '2026-01-21T00:00:00.000Z',
      days: 11,
      of_days: 31,
      requests: 44,
    })
    expect(figures.traffic).toMatchObject({ since: null, days: 31 })
  })

  test('says up to when the versions are known, and nothing about a month without a scan', async () => {
    const { dashboard, id, report } = await world()
    const known = { since: '2025-12-05T00:00:00.000Z', scanned_at: '2026-01-20T00:00:00.000Z' }
    await addUpdates(dashboard, id, known, [['2026-01-12T00:00:00.000Z', 'Woo', '1', '2']])

    expect((await report()).figures.updates).toEqual({
      since: null,
      until: known.scanned_at,
      made: 1,
    })
    expect((await report('?month=2026-02')).figures.updates).toBeNull()
  })

  test('has the backups of the month and what proved them', async () => {
    const { dashboard, id, report } = await world()
    await setUp(dashboard)
    const of = { server_id: 1, site_id: id, domain: 'shop.example' }
    const before = await addBackup(dashboard, { ...of, last: 3 })
    const during = await addBackup(dashboard, { ...of, last: -12 })
    const proof = { site_id: id, server_id: 1, findings: [], pages: [], seconds: 1 }
    const sizes = { rows: 1, tables: 1, files: 1, bytes: 1 }
    const proofs = [
      { backup_id: before, at: '2026-01-05T00:00:00.000Z', proven: true },
      { backup_id: during, at: '2026-01-15T00:00:00.000Z', proven: false },
    ]
    await dashboard.db.write((queries) =>
      queries
        .insert(backup_proofs)
        .values(proofs.map((one) => ({ ...proof, ...sizes, ...one, recorded_at: one.at }))),
    )

    const { figures, last_backup_at, last_proof } = await report()

    expect(figures.backups).toEqual({ made: 1, proven: 1, not_proven: 1 })
    expect(last_backup_at).toBe('2026-01-13T00:00:00.000Z')
    expect(last_proof).toEqual({ at: '2026-01-15T00:00:00.000Z', proven: false })
  })

  test('of this month ends now', async () => {
    const { report } = await world('2026-02-10T12:00:00.000Z')

    expect(await report('?month=2026-02')).toMatchObject({
      from: '2026-02-01T00:00:00.000Z',
      to: '2026-02-10T12:00:00.000Z',
      complete: false,
    })
  })

  test.each([
    ['2026-03', 'Must not be in the future'],
    ['2025-11', 'Must be 2025-12 or later: the site is on record since then'],
    ['2026-13', 'Must be a month such as 2026-10'],
    ['January', 'Must be a month such as 2026-10'],
  ])('of %s is refused: %s', async (month, rule) => {
    const { dashboard, path } = await world()

    expect(await dashboard.call('GET', `${path}?month=${month}`)).toEqual({
      status: 422,
      body: { error: 'Validation failed', fields: { month: [rule] } },
    })
  })

  test('exists for the current month and twelve before', async () => {
    const { dashboard, path, report } = await world('2027-06-10T00:00:00.000Z')

    expect(await report()).toMatchObject({ first_month: '2026-06', month: '2027-05' })
    expect((await dashboard.call('GET', `${path}?month=2026-05`)).body.fields).toEqual({
      month: ['Must be 2026-06 or later: the records before are deleted'],
    })
  })
})

describe('the branding', () => {
  const PATH = '/api/fleet/branding'
  const LOGO = `${PATH}/logo`
  async function open() {
    const dashboard = await makeDashboard()
    ends.push(() => dashboard[Symbol.asyncDispose]())
    return dashboard
  }
  const fieldsOf = async (
    dashboard: Awaited<ReturnType<typeof open>>,
    path: string,
    body: object,
  ) => (await dashboard.call('PUT', path, body)).body.fields

  test('is shown after a change, with a readable colour on its own', async () => {
    const dashboard = await open()
    const branding = {
      name: ' Ärger & Söhne <Agency> ',
      color: '#FFEE00',
      reply_to: 'hello@agency.example',
      closing: 'Thank you.\nSee you soon.',
    }

    await dashboard.call('PUT', PATH, branding)

    expect((await dashboard.call('GET', PATH)).body.branding).toEqual({
      ...branding,
      name: 'Ärger & Söhne <Agency>',
      color: '#ffee00',
      text_color: '#000000',
      logo: null,
    })
  })

  test('refuses what could not be shown, or could end a header of a mail', async () => {
    const dashboard = await open()
    const branding = {
      name: 'A\r\nBcc: x@y.example',
      color: 'red',
      reply_to: 'x',
      closing: '\u0007',
    }

    expect(await fieldsOf(dashboard, PATH, branding)).toEqual({
      name: ['Must be one line'],
      color: ['Must be a colour such as #1d4ed8'],
      reply_to: ['Must be an e-mail address'],
      closing: ['Must not have control characters'],
    })
  })

  test.each([
    ['image/png', PNG],
    ['image/jpeg', JPEG],
  ])('has a logo that is served as %s, and only that', async (type, bytes) => {
    const dashboard = await open()
    const { body } = await dashboard.call('PUT', LOGO, { image: bytes.toString('base64') })
    expect(body.branding.logo).toStartWith(`${LOGO}?v=`)

    const response = await dashboard.send('GET', body.branding.logo)

    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
    expect((await dashboard.call('DELETE', LOGO)).body.branding.logo).toBeNull()
    expect((await dashboard.call('GET', LOGO)).status).toBe(404)
  })

  test('refuses a logo that is no small image', async () => {
    const dashboard = await open()
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
    const huge = Buffer.from(PNG)
    huge.writeUInt32BE(2001, 16)
    const long = Buffer.concat([PNG.subarray(0, -12), Buffer.alloc(256 << 10), PNG.subarray(-12)])

    const refused = await Promise.all(
      [svg, huge, long].map((bytes) =>
        fieldsOf(dashboard, LOGO, { image: bytes.toString('base64') }),
      ),
    )

    expect(refused).toEqual([
      { image: ['Must be a PNG, JPEG or WebP image'] },
      { image: ['Must be 16 to 2000 pixels wide and high'] },
      { image: ['Must have at most 256 KiB'] },
    ])
    expect((await dashboard.call('GET', PATH)).body.branding.logo).toBeNull()
  })
})
