// tier: gate

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import type { SiteDatabase } from '#shared/database/api/site-database.ts'
import type { TableResult } from '#shared/database/site-database.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import {
  type Login,
  type SiteDatabaseWorld,
  startSiteDatabase,
} from '#tests/support/system/site-database-world.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

const SECRET = 'seacret-4711'
const POLL = { every_ms: 1000, timeout_ms: 120_000 }
/** MariaDB draws the way in which it refuses an unknown user. */
const NO_LOGIN = [1045, 1698]
const SETTING = '/etc/mysql/mariadb.conf.d/90-performance-schema.cnf'

const KEY = '/root/.ssh/tunnel'
/** The SSH options of a new client, which has not seen the server before. */
const CLIENT = [
  '-i',
  KEY,
  ...['-o', 'BatchMode=yes'],
  ...['-o', 'StrictHostKeyChecking=accept-new'],
]

/** A client that uses what the dashboard shows: the command for a tunnel, and a temporary user. */
function connectsThroughTunnel(of: () => SiteDatabaseWorld): void {
  test('is reached by a client through the tunnel that is shown', async () => {
    const { host, login } = of()
    await host.must(['apt-get', 'install', '-q', '--yes', 'openssh-client'])
    await host.must(['mkdir', '-p', '-m', '700', '/root/.ssh'])
    await host.must(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', KEY])
    await host.must(['cp', `${KEY}.pub`, '/root/.ssh/authorized_keys'])
    const shown = (await login('read')) as Login & { host: string; port: number; tunnel: string }
    const [ssh = '', ...options] = shown.tunnel.split(' ')
    const tunnel = host.spawn([ssh, ...CLIENT, ...options])
    const place = ['--protocol=tcp', `--host=${shown.host}`, `--port=${shown.port}`]
    const client = ['mariadb', '--no-defaults', ...place, `--user=${shown.user}`, '--batch']
    const ask = (sql: string) =>
      host.exec([...client, shown.database, `--execute=${sql}`], {
        env: { MYSQL_PWD: shown.password },
      })
    const answered = async () => (await ask('SELECT DATABASE()')).stdout.includes(shown.database)

    expect(await lab.poll(answered, { timeout_ms: MINUTES })).toBe(true)
    const written = await ask('CREATE TABLE tunnel (a INT)')
    expect([written.code, written.stderr]).toEqual([1, expect.stringContaining('denied')])
    await tunnel.stop()
    await of().call('POST', '/database/users/end', { user: shown.user })
    await host.must(['rm', '-r', '/root/.ssh'])
  })
}

for (const suite of releases('site-database')) {
  unless(lab.available()).describe(`the database of a site on ${suite}`, () => check(suite))
}

function check(suite: Suite): void {
  let world: SiteDatabaseWorld

  beforeAll(async () => {
    world = await startSiteDatabase(suite, suites[suite].php)
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  const reading = async () => {
    const { status, body } = await world.call('GET', '/database')
    expect([status, body]).toEqual([200, expect.anything()])
    expect(JSON.stringify(body)).not.toContain(SECRET)
    return body.database as SiteDatabase
  }

  test('is read by tables, and by the options of WordPress without their values', async () => {
    const { user } = world.shop
    const prefix = (await world.root(`SHOW TABLES FROM \`${user}\` LIKE '%\\_options'`))[0]
    await world.root(
      `INSERT INTO \`${user}\`.${prefix} (option_name, option_value, autoload) VALUES ('large', CONCAT('${SECRET}', REPEAT('x', 100000)), 'on'), ('_transient_timeout_a', '5', 'off'), ('_transient_a', '${SECRET}', 'off'), ('wordfence_a', 'x', 'on'), ('wordfence_b', 'xx', 'yes'), ('woocommerce_a', 'x', 'on')`,
    )
    const active = 'a:1:{i:0;s:27:"woocommerce/woocommerce.php";}'
    await world.root(
      `REPLACE INTO \`${user}\`.${prefix} (option_name, option_value, autoload) VALUES ('active_plugins', '${active}', 'on')`,
    )

    const { tables, options, queries, ...sums } = await reading()

    expect(tables.length).toBe(sums.table_count)
    expect(tables.map(({ engine }) => engine)).toEqual(tables.map(() => 'InnoDB'))
    expect(tables.find(({ name }) => name === prefix)?.data_bytes).toBeGreaterThan(16_000)
    expect(sums.data_bytes).toBe(tables.reduce((sum, { data_bytes }) => sum + data_bytes, 0))
    expect(options).toMatchObject([
      {
        ...{ table: prefix, expired: 1, expired_bytes: SECRET.length },
        unused: [{ plugin: 'Wordfence', count: 2, bytes: 3 }],
        largest: expect.arrayContaining([{ name: 'large', bytes: 100_000 + SECRET.length }]),
      },
    ])
    expect(queries).toBeNull()
  })

  test('shows slow statements without their values, and none of another site', async () => {
    await world.host.put(SETTING, '[mariadbd]\nperformance_schema = ON\n')
    await world.host.must(['systemctl', 'restart', 'mariadb'])
    const sql = (name: string) =>
      world.root(`USE \`${name}\`; SELECT '${SECRET}', SLEEP(0.2), 4711 AS ${name.slice(0, 4)}`)
    await sql(world.shop.user)
    await sql(world.other.user)

    const { queries } = await reading()
    await world.host.must(['rm', SETTING])
    await world.host.must(['systemctl', 'restart', 'mariadb'])

    const texts = queries?.map(({ text }) => text) ?? []
    expect(texts).toContain('SELECT ? , `SLEEP` (?) , ? AS `shop` ')
    expect(texts.filter((text) => text.includes('neig'))).toEqual([])
    expect(queries?.find(({ text }) => text.includes('SLEEP'))?.longest_ms).toBeGreaterThan(190)
  })

  test('is checked, and a corrupt table is found and repaired without touching others', async () => {
    const { user } = world.shop
    await world.root(
      `USE \`${user}\`; CREATE TABLE old (a INT, b VARCHAR(200), KEY (a)) ENGINE=MyISAM; INSERT INTO old SELECT seq, REPEAT('x', 100) FROM seq_1_to_5000; FLUSH TABLES`,
    )
    const index = `/var/lib/mysql/${user.replaceAll('-', '@002d')}/old.MYI`
    const spoil = ['dd', 'if=/dev/zero', `of=${index}`, 'bs=1', 'seek=1100', 'count=3000']
    await world.host.must([...spoil, 'conv=notrunc'])
    await world.root('FLUSH TABLES')

    const checked = await world.maintain({ action: 'check' })
    const repaired = await world.maintain({
      action: 'repair',
      tables: ['old'],
      without_backup: true,
    })
    const optimised = await world.maintain({ action: 'optimise' })

    const states = (tables: TableResult[]) =>
      Object.fromEntries(tables.map(({ name, state }) => [name, state]))
    expect(states(checked)).toMatchObject({ old: 'failed' })
    expect(Object.values(states(checked)).filter((state) => state !== 'ok')).toHaveLength(1)
    expect(states(repaired).old).toMatch(/^(ok|warning)$/)
    expect(Object.values(states(optimised)).filter((state) => state !== 'ok')).toEqual([])
    expect(await world.root(`SELECT COUNT(*) FROM \`${user}\`.old`)).toEqual(['5000'])
  })

  connectsThroughTunnel(() => world)

  test('is exported as a compressed dump that another database takes', async () => {
    const { user } = world.shop
    const response = await world.dashboard.open(world.at('/database/export'))
    const sql = gunzipSync(await response.bytes()).toString()

    expect(sql).toEndWith('\n')
    await world.root(`CREATE DATABASE copied`)
    await world.host.must(['mariadb', 'copied'], { input: sql })
    const checksums = async (database: string) => {
      const names = await world.root(`SHOW TABLES FROM \`${database}\``)
      const list = names.map((name) => `\`${database}\`.${name}`).join(', ')
      const rows = await world.root(`CHECKSUM TABLE ${list}`)
      return rows.map((row) => row.slice(row.indexOf('.') + 1))
    }
    expect(await checksums('copied')).toEqual(await checksums(user))
    await world.root('DROP DATABASE copied')
  })

  test('has temporary users with exactly their rights, which end automatically and on request', async () => {
    const brief = await world.login('read', 1)
    await world.host.must(['systemctl', 'kill', '--signal=KILL', 'hosting-agent.service'])
    const begun = Date.now()
    const open = world.sleeping(brief)
    const table = (await world.root(`SHOW TABLES FROM \`${world.shop.user}\` LIKE '%posts'`))[0]
    const reading = `SELECT COUNT(*) FROM ${table}`
    const others = [
      [`SELECT * FROM \`${world.other.user}\`.x`, 1142],
      ['SELECT * FROM mysql.global_priv', 1142],
      [`USE \`${world.other.user}\``, 1044],
      ['GRANT SELECT ON *.* TO CURRENT_USER', 1045],
      ['CREATE FUNCTION f() RETURNS INT RETURN 1', 1044],
    ] as const
    const writing = `UPDATE ${table} SET post_title = post_title`
    const asked = [reading, writing, ...others.map(([sql]) => sql)]
    // One after the other: a temporary user has few connections.
    const errors = (login: Login) => Array.fromAsync(asked, (sql) => world.errorOf(login, sql))
    const refused = others.map(([, error]) => error)
    expect(await errors(brief)).toEqual([0, 1142, ...refused])
    expect([1045, 1227]).toContain(await world.errorOf(brief, "SELECT 1 INTO OUTFILE '/tmp/loot'"))

    expect(await lab.poll(async () => (await world.users()).length === 1, POLL)).toBe(true)
    const writer = await world.login('write')
    expect(await errors(writer)).toEqual([0, 0, ...refused])
    const busy = world.sleeping(writer)
    await lab.poll(async () => (await world.connections(writer.user)) > 0, POLL)
    expect((await world.users()).map(({ rights }) => rights)).toEqual(['read', 'write'])
    const { status } = await world.call('POST', '/database/users/end', { user: writer.user })
    expect(status).toBe(200)
    expect(NO_LOGIN).toContain(await world.errorOf(writer, reading))
    expect(await world.connections(writer.user)).toBe(0)

    expect(await lab.poll(async () => (await world.users()).length === 0, POLL)).toBe(true)
    expect(Date.now() - begun).toBeLessThan(100_000)
    expect(NO_LOGIN).toContain(await world.errorOf(brief, reading))
    expect(await world.connections(brief.user)).toBe(0)
    await Promise.all([open.stop(), busy.stop()])
    const places = ['/var/lib/hosting-agent', '/etc/hosting', '/var/log', '/run/log']
    for (const { password } of [brief, writer]) {
      const { stdout } = await world.host.exec(['grep', '-rlaF', password, ...places])
      expect(stdout).toBe('')
    }
  })
}
