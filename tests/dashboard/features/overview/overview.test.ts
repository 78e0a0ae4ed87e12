// tier: gate
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, type SQL, sql } from 'drizzle-orm'
import { overview } from '#dashboard/features/overview/overview.ts'
import { listFleetSites } from '#dashboard/features/sites/listing/sites.queries.ts'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import type { NewSite, OperationRow, ServerRow } from '#dashboard/kernel/db/rows.ts'
import { isolation_checks, operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import {
  type Attention,
  type AttentionItem,
  type AttentionKind,
  SHOWN,
} from '#shared/overview/api/attention.ts'
import { Fleet } from '#shared/overview/api/fleet.ts'
import { diskLevelOf } from '#shared/servers/disk-levels.ts'
import { FleetSitesQuery } from '#shared/sites/api/site-filters.ts'
import { ago, setUp } from '#tests/support/dashboard/backup-attention.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { RandomFleet } from '#tests/support/dashboard/random-fleet.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'
import { markedWith } from '#tests/support/marks.ts'
import { Random } from '#tests/support/random.ts'
import { numbers } from '#tests/support/runs.ts'

/** The clock is at the first moment of 2026. */
const at = (day: string) => `${day}T00:00:00.000Z`
const HOUR_AGO = '2025-12-31T23:00:00.000Z'
const NOON = '2025-12-31T12:00:00.000Z'
const space = (used: number, total: number) => ({ used, total, unit: 'MB' as const })
let dashboard: Dashboard

beforeAll(async () => {
  dashboard = await makeDashboard({ clock: new HeldClock() })
  // attention/backups.test.ts has the items of backups.
  await dashboard.call('PUT', '/api/settings/backup_every', { value: 'off' })
})

afterAll(() => dashboard[Symbol.asyncDispose]())

async function addServer(name: string, more: Partial<ServerRow> = {}): Promise<number> {
  const known = { hostname: `${name}.example`, port: 8443, user: 'root', tags: [] }
  const [row] = await dashboard.db.write((queries) =>
    queries
      .insert(servers)
      .values({ name, ...known, status: 'online', created_at: at('2025-01-01'), ...more })
      .returning({ id: servers.id }),
  )
  const server_id = row?.id ?? 0
  const checked = { server_id, checked_at: NOON, results: [] }
  await dashboard.db.write((queries) => queries.insert(isolation_checks).values(checked))
  return server_id
}

async function addSite(
  domain: string,
  server_id: number,
  more: Partial<NewSite> = {},
): Promise<number> {
  const kind = { php: '8.4', tier: 'small', tls: 'letsencrypt', managed: true } as const
  const known = { server_id, domain, apex: domain, user: 'shop', ...kind }
  const [row] = await dashboard.db.write((queries) =>
    queries
      .insert(sites)
      .values({ ...known, status: 'active', created_at: at('2025-01-01'), ...more })
      .returning({ id: sites.id }),
  )
  return row?.id ?? 0
}

/** One that has failed an hour ago. */
async function addOperation(id: string, more: Partial<OperationRow>): Promise<void> {
  const times = { deadline_at: HOUR_AGO, created_at: HOUR_AGO, finished_at: HOUR_AGO }
  const error = { error: 'Conflict', message: `Why ${id}` }
  const known = { type: 'site.scan', server_id: 1, domain: `${id}.example`, params: {} } as const
  await dashboard.db.write((queries) =>
    queries.insert(operations).values({ id, ...known, status: 'failed', error, ...times, ...more }),
  )
}

async function attention(kind?: AttentionKind): Promise<Attention[]> {
  const { body } = await dashboard.call('GET', '/api/fleet')
  return Fleet.parse(body).attention.filter((group) => kind === undefined || group.kind === kind)
}

async function itemsOf(kind: AttentionKind): Promise<AttentionItem[]> {
  return (await attention(kind)).flatMap(({ items }) => items)
}

const nothing = {
  server_id: null,
  site_id: null,
  operation_id: null,
  at: null,
  count: 1,
  subject: '',
}
const critical = { ...nothing, severity: 'critical', query: null } as const
const warning = { ...nothing, severity: 'warning', query: null } as const
const info = { ...nothing, severity: 'info', query: null } as const

describe('a healthy fleet', () => {
  test('has no attention item', async () => {
    const id = await addServer('fine', { version: '99.0.0', os: 'Debian GNU/Linux 13 (trixie)' })
    await addSite('fine.example', id, { certificate_expires_at: at('2026-03-01') })

    expect(await attention()).toEqual([])
  })
})

describe('attention', () => {
  test('has an offline server with its last contact', async () => {
    const status_reason = 'The agent on away.example:8443 did not answer in time'
    const id = await addServer('away', {
      status: 'offline',
      last_error: status_reason,
      last_sync: NOON,
    })

    expect(await attention('server_offline')).toEqual([
      {
        kind: 'server_offline',
        severity: 'critical',
        total: 1,
        query: null,
        items: [
          {
            ...critical,
            server_id: id,
            name: 'away',
            reason: `${status_reason}: check that the server is up, and run systemctl status hosting-agent on it; if it does not come back, restore its sites on other servers`,
            at: NOON,
          },
        ],
      },
    ])
  })

  test('has a disk from 90 % on, the fullest kind first', async () => {
    const metrics = (used: number) => {
      const rest = { cpu: 1, ram: space(1, 2), load: [0, 0, 0] as [number, number, number] }
      return {
        ...rest,
        disk: space(used, 1000),
        uptime: 1,
        os: '',
        version: '',
        protocol: PROTOCOL,
      }
    }
    await addServer('roomy', { metrics: metrics(899) })
    await addServer('a-narrow', { metrics: metrics(900) })
    await addServer('b-full', { metrics: metrics(999) })

    expect((await itemsOf('disk_full')).map(({ name, severity }) => [name, severity])).toEqual([
      ['b-full', 'critical'],
      ['a-narrow', 'warning'],
    ])
    expect((await itemsOf('disk_full'))[0]?.reason).toBe(
      'The disk is 99 % full: empty the trash, remove what is not needed, or enlarge it',
    )
  })

  test('has a failed service, and not a stopped one', async () => {
    const services = [
      { name: 'nginx', status: 'stopped' as const },
      { name: 'mariadb', status: 'failed' as const },
    ]
    const id = await addServer('broken', { services })

    expect(await itemsOf('service_failed')).toEqual([
      {
        ...critical,
        server_id: id,
        name: 'broken',
        subject: 'mariadb',
        reason: 'mariadb has failed: restart it, and read its log on the server if it fails again',
      },
    ])
  })

  test('has an agent of an older release, and not one of a newer or unknown release', async () => {
    const id = await addServer('older', { version: '0.0.9' })
    await addServer('newer', { version: '10.0.0' })
    await addServer('nameless', { version: 'dev' })

    expect(await itemsOf('agent_outdated')).toMatchObject([
      { severity: 'info', server_id: id, name: 'older', reason: expect.stringContaining('0.0.9') },
    ])
  })

  test('has a failed site with the operation to retry', async () => {
    const status_reason = 'No room on the disk'
    const id = await addSite('lost.example', 1, { status: 'failed', status_reason })
    await addOperation('create-1', { type: 'site.create', site_id: id, created_at: NOON })
    await addOperation('create-2', { type: 'site.create', site_id: id })

    const groups = await attention('site_failed')

    expect(groups).toMatchObject([{ total: 1, query: { status: 'failed' } }])
    expect(groups[0]?.items).toEqual([
      {
        ...critical,
        server_id: 1,
        site_id: id,
        operation_id: 'create-2',
        name: 'lost.example',
        reason: `${status_reason}: retry the operation, or delete the site`,
      },
    ])
    expect(await attention('operation_failed')).toEqual([])
  })

  test('has expired and soon expiring certificates', async () => {
    const ends = (day: string) => ({ certificate_expires_at: at(day) })
    await addSite('far.example', 1, ends('2026-01-16'))
    const near = await addSite('near.example', 1, ends('2026-01-14'))
    const ended = await addSite('ended.example', 1, { ...ends('2025-12-30'), tls: 'self-signed' })
    await addSite('plain.example', 1, { ...ends('2025-12-30'), tls: 'none' })
    await addSite('gone.example', 1, { ...ends('2025-12-30'), status: 'trashed' })

    expect(await attention('certificate')).toEqual([
      {
        kind: 'certificate',
        severity: 'critical',
        total: 2,
        query: { expiring: 'true' },
        items: [
          {
            ...critical,
            server_id: 1,
            site_id: ended,
            name: 'ended.example',
            reason: 'Its certificate expired on 2025-12-30: renew it',
            at: at('2025-12-30'),
          },
          {
            ...warning,
            server_id: 1,
            site_id: near,
            name: 'near.example',
            reason:
              'Its certificate expires on 2026-01-14: renew it, and make sure that the domain points to its server',
            at: at('2026-01-14'),
          },
        ],
      },
    ])
    const { body } = await dashboard.call('GET', '/api/fleet/sites?expiring=true')
    expect(body.total).toBe(2)
  })

  test('has the last failure of its kind, unless a later one succeeded', async () => {
    const site = await addSite('scanned.example', 1)
    const repaired = await addSite('repaired.example', 1)
    await addOperation('first', { site_id: site, created_at: NOON, finished_at: NOON })
    await addOperation('last', { site_id: site })
    const later = { created_at: at('2026-01-01'), finished_at: at('2026-01-01') }
    await addOperation('given-up', { site_id: site, status: 'cancelled', ...later })
    await addOperation('bad', { site_id: repaired, created_at: NOON, finished_at: NOON })
    await addOperation('good', { site_id: repaired, status: 'success', error: null })
    await addOperation('long-ago', {
      type: 'tls.issue',
      site_id: site,
      finished_at: at('2025-12-30'),
    })
    await addOperation('of-nothing', { site_id: 999 })
    await addOperation('sync', { type: 'server.sync', site_id: null, server_id: 1 })
    const synced = await addServer('synced', { last_sync: at('2026-01-01') })
    await addOperation('old-sync', { type: 'server.sync', site_id: null, server_id: synced })

    expect((await itemsOf('operation_failed')).map(({ operation_id }) => operation_id)).toEqual([
      'last',
      'sync',
    ])
    expect((await itemsOf('operation_failed'))[0]).toEqual({
      ...warning,
      server_id: 1,
      site_id: site,
      operation_id: 'last',
      name: 'last.example',
      reason: 'Why last: correct the cause, then retry',
      at: HOUR_AGO,
    })
  })

  test('has a server that contradicts its request before any number of failures', async () => {
    const error = { error: 'Conflict', message: 'Another site', code: 'result_mismatch' as const }
    const server_id = await addServer('contradicting', { last_sync: at('2026-01-01') })
    const on = async (name: string) => ({ server_id, site_id: await addSite(name, server_id) })
    for (let id = 0; id < SHOWN; id += 1)
      await addOperation(`ordinary-${id}`, await on(`s${id}.example`))
    const earlier = { finished_at: '2025-12-31T22:00:00.000Z' }
    await addOperation('mismatch', { ...(await on('shop.example')), error, ...earlier })

    const [first] = await itemsOf('operation_failed')

    expect(first).toMatchObject({ operation_id: 'mismatch', severity: 'critical' })
    await dashboard.db.write((queries) =>
      queries.delete(operations).where(eq(operations.server_id, server_id)),
    )
  })

  test('has only the message of a failure whose code has its remedy in it', async () => {
    const server = await addServer('web', { last_sync: at('2026-01-01') })
    const message = 'apt-get failed: E. Run "apt-get check", then choose Retry'
    const error = { error: 'Internal error', message, code: 'packages_failed' as const }
    await addOperation('apt', { site_id: null, server_id: server, error })

    const items = await itemsOf('operation_failed')
    expect(items.find(({ operation_id }) => operation_id === 'apt')?.reason).toBe(message)
  })

  test('has each PHP version without fixes, also from the distribution', async () => {
    const other = await addServer('other', { os: 'Ubuntu 24.04' })
    const debian = await addServer('debian', { os: 'Debian GNU/Linux 11 (bullseye)' })
    const php = (version: string, more: Partial<NewSite> = {}) => ({ php: version, ...more })
    await addSite('seven.example', other, php('7.4'))
    await addSite('eight.example', other, php('8.1'))
    await addSite('another.example', other, php('8.1', { status: 'suspended' }))
    await addSite('repaired-by-debian.example', debian, php('7.4'))
    await addSite('in-trash.example', other, php('7.4', { status: 'trashed' }))
    await addSite('without-php.example', other, php(''))

    expect(await attention('php_eol')).toEqual([
      {
        kind: 'php_eol',
        severity: 'warning',
        total: 3,
        query: { php: '7.4,8.1' },
        items: [
          {
            ...warning,
            name: 'PHP 7.4',
            reason: 'No security fixes since 2022-11-28: move 1 site to a newer PHP',
            at: '2022-11-28',
            query: { php: '7.4' },
          },
          {
            ...warning,
            name: 'PHP 8.1',
            reason: 'No security fixes since 2025-12-31: move 2 sites to a newer PHP',
            at: '2025-12-31',
            count: 2,
            query: { php: '8.1' },
          },
        ],
      },
    ])
  })

  test('counts sites with updates, and names a few updates', async () => {
    const before = (await attention('updates'))[0]?.total ?? 0
    for (let site = 1; site <= 30; site++)
      await addSite(`shop-${site}.example`, 1, { updates_plugins: site, updates_themes: 1 })
    const core = await addSite('core.example', 1, { updates_core: true })

    const [group] = await attention('updates')

    expect(before).toBe(0)
    expect(group).toMatchObject({ total: 31, query: { status: 'active', updates: 'true' } })
    expect(group?.items.map(({ name }) => name)).toEqual([
      'core.example',
      'shop-30.example',
      'shop-29.example',
      'shop-28.example',
      'shop-27.example',
    ])
    expect(group?.items[0]).toEqual({
      ...info,
      server_id: 1,
      site_id: core,
      name: 'core.example',
      reason: 'Update WordPress itself in its WordPress',
    })
    expect(group?.items[1]?.reason).toBe('Update 30 plugins and 1 theme in its WordPress')
  })

  test('has the most severe item first', async () => {
    expect((await attention()).map(({ kind, severity }) => [kind, severity])).toEqual([
      ['server_offline', 'critical'],
      ['disk_full', 'critical'],
      ['service_failed', 'critical'],
      ['site_failed', 'critical'],
      ['certificate', 'critical'],
      ['operation_failed', 'warning'],
      ['php_eol', 'warning'],
      ['agent_outdated', 'info'],
      ['updates', 'info'],
    ])
  })
  test('has a site from 80 % of a limit of its tier on, those over one first', async () => {
    const id = await addServer('disks')
    const limits = { limit_bytes: 10e9, limit_files: 250_000, measured_at: NOON }
    const add = (name: string, use: object, more: Partial<NewSite> = {}) => {
      const disk = { bytes: 1e9, files: 1000, database_bytes: 0, ...limits, ...use }
      return addSite(`${name}.disks.example`, id, { disk, disk_level: diskLevelOf(disk), ...more })
    }
    await add('below', { bytes: 7e9, database_bytes: 9e8, files: 199_999 })
    await add('trashed', { bytes: 20e9 }, { status: 'trashed' })
    await add('silent-database', { database_bytes: null })
    const near = await add('near', { bytes: 7e9, database_bytes: 1e9 })
    const over = await add('a-over', { bytes: 10e9 })
    const many = await add('b-over-files', { files: 262_144, bytes: 9e9 })
    const large = await add('c-over-large', { bytes: 10.96e9 }, { tier: 'large' })
    const closed = await add('unknown', { bytes: null, files: null })

    const raise = 'remove files, or raise its tier'
    const of = (site_id: number, name: string) => ({
      ...{ server_id: id, site_id, name: `${name}.disks.example`, at: NOON },
    })
    expect(await attention('site_disk')).toEqual([
      {
        ...{ kind: 'site_disk', severity: 'critical', total: 5, query: null },
        items: [
          {
            ...critical,
            ...of(over, 'a-over'),
            reason: `It uses 10 GB of the 10 GB of its tier small: ${raise}`,
          },
          {
            ...critical,
            ...of(many, 'b-over-files'),
            reason: `It uses 262,144 files of the 250,000 of its tier small: ${raise}`,
          },
          {
            ...critical,
            ...of(large, 'c-over-large'),
            reason: 'It uses 10.9 GB of the 10 GB of its tier large: remove what is not needed',
          },
          {
            ...warning,
            ...of(near, 'near'),
            reason: `It uses 8 GB of the 10 GB of its tier small: ${raise}`,
          },
          {
            ...warning,
            ...of(closed, 'unknown'),
            reason:
              'Its disk use could not be measured: look on the server for folders that are very large or that its user cannot read',
          },
        ],
      },
    ])
  })
})

const SEEDS = numbers(3)
const ROUNDS = 30
/** Some are longer than an overview is kept without a change, and some set the clock back. */
const STEPS_MS = [10 * 60_000, 3 * 60_000, 6_000, -3 * 60_000, 24 * 3600_000]
const FULL = FleetSitesQuery.parse({ status: 'active,failed', per_page: '1' })

test.each(SEEDS)(
  'counts that are kept are those of the records after each change, seed %i',
  async (seed) => {
    await using folder = await makeFolder()
    const db = await openDatabase(`file:${folder.path}/fleet.db`)
    const [clock, random] = [new HeldClock(), new Random(seed)]
    await setUp({ db } as Dashboard)
    const fleet = new RandomFleet(db, random)
    await fleet.begin(clock.now())
    const done: string[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      for (let change = random.between(1, 6); change > 0; change--)
        done.push(await fleet.change(clock.now()))
      if (random.chance(0.4)) clock.set(random.pick(STEPS_MS))
      // Nothing is kept for this object.
      const other = { ...db }
      const read = async (from: typeof db) => ({
        done,
        ...(await overview({ db: from, marks: markedWith(), clock })),
        total: (await listFleetSites(from, FULL, clock.now())).total,
      })
      const [kept, computed] = [await read(db), await read(other)]

      expect(kept).toEqual(computed)
    }
    const [end] = [await overview({ db, marks: markedWith(), clock })]
    db.close()
    // The records have something to count.
    expect(Object.keys(end.counts.sites).length).toBeGreaterThan(1)
    expect(end.attention.length).toBeGreaterThan(1)
  },
)

test('an overview is no change of the records, which would drop all kept answers', async () => {
  await using folder = await makeFolder()
  const db = await openDatabase(`file:${folder.path}/fleet.db`)
  await setUp({ db } as Dashboard)
  const clock = new HeldClock()
  await new RandomFleet(db, new Random(1)).begin(clock.now())
  const before = await db.version()

  await overview({ db, marks: markedWith(), clock })

  expect([before, await db.version()]).toEqual([expect.any(String), before])
  db.close()
})

const MINUTE_DAYS = 1 / (24 * 60)
const DAY_MS = 24 * 3600_000
/** Longer than an overview is kept. */
const STEP_MS = 6_000

const site = (created_days: number, certificate = '') =>
  sql`insert into sites (id, server_id, domain, apex, user, php, tier, tls, managed, status, certificate_expires_at, created_at)
    values (1, 1, 'a.example', 'a.example', 'a', '8.4', 'small', 'letsencrypt', 1, 'active', ${certificate}, ${ago(created_days)})`

const backup = (days: number) =>
  sql`insert into backups (id, site_id, server_id, domain, target_id, repository, snapshot, at, recorded_at, files, bytes, stored, tables, seconds)
    values (${Math.round(days * 1_000)}, 1, 1, 'a.example', 1, 'a', ${`${days}`}, ${ago(days)}, ${ago(days)}, 1, 1, 1, 1, 1)`

const proof = (days: number) =>
  sql`insert into backup_proofs (backup_id, site_id, at, recorded_at, proven, findings, rows, tables, files, bytes, pages, seconds)
    select id, site_id, at, at, 1, '[]', 1, 1, 1, 1, '[]', 1 from backups where id = ${Math.round(days * 1_000)}`

const setting = (every: string) =>
  sql`insert into backup_settings (site_id, every, exclude) values (1, ${every}, '[]')`

/** In a minute, the site is so many days after the time. */
const before = (days: number) => days - MINUTE_DAYS
const soon = new Date(Date.parse(ago(0)) + 14 * DAY_MS + 60_000).toISOString()

async function fleet(db: Database, records: readonly SQL[]): Promise<void> {
  await setUp({ db } as Dashboard)
  const server = sql`insert into servers (id, name, hostname, port, user, tags, status, created_at)
    values (1, 'web', 'h', 1, 'root', '[]', 'online', ${ago(90)})`
  for (const each of [server, ...records]) await db.write((queries) => queries.run(each))
}

test.each<[string, string, SQL[]]>([
  ['a certificate that ends soon', 'certificate', [site(1, soon), backup(1)]],
  ['a daily backup that is late', 'backup_late', [site(30), backup(before(2))]],
  [
    'a weekly backup that is late',
    'backup_late',
    [site(30), setting('weekly'), backup(before(14))],
  ],
  ['a new site that has no backup', 'backup_late', [site(before(2))]],
  ['a site that is late for a week', 'backup_late', [site(30), backup(before(7))]],
  ['a backup that is not proven', 'backup_unproven', [site(30), backup(before(14)), backup(0.5)]],
  [
    'a proven backup that is old',
    'backup_unproven',
    [site(30), backup(before(14)), proof(before(14)), backup(0.5)],
  ],
])('%s is on the overview at its time, and not again before it', async (_, kind, records) => {
  await using folder = await makeFolder()
  const [db, clock] = [await openDatabase(`file:${folder.path}/fleet.db`), new HeldClock()]
  await fleet(db, records)
  /** With the counts that are kept, and with those for an object for which none are. */
  const read = async () => {
    const all = [db, { ...db }].map(async (from) => {
      const { attention } = await overview({ db: from, marks: markedWith(), clock })
      return attention.filter((group) => group.kind === kind)
    })
    const [kept, computed] = await Promise.all(all)
    return { kept, computed }
  }
  const first = await read()

  clock.move(60_000 - STEP_MS)
  const early = await read()
  clock.move(2 * STEP_MS)
  const after = await read()
  clock.set(-2 * STEP_MS)
  const again = await read()
  db.close()

  expect(first.kept).toEqual(first.computed)
  expect(early.kept).toEqual(early.computed)
  expect(after.kept).toEqual(after.computed)
  expect(again.kept).toEqual(early.computed)
  // The time has an effect at all.
  expect(after.computed).not.toEqual(early.computed)
})
