import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { SiteDatabase } from '#shared/api/site-database.ts'
import * as lab from '#tests/support/lab/index.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import {
  type SiteDatabaseWorld,
  startSiteDatabase,
} from '#tests/support/system/site-database-world.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const SECRET = 'seacret-4711'
const SETTING = '/etc/mysql/mariadb.conf.d/90-performance-schema.cnf'

unless(lab.available()).describe('the database of a site', () => {
  let world: SiteDatabaseWorld

  beforeAll(async () => {
    world = await startSiteDatabase('trixie', suites.trixie.php)
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  const reading = async () => {
    const { status, body } = await world.call('GET', '/database')
    expect([status, body]).toEqual([200, expect.anything()])
    expect(JSON.stringify(body)).not.toContain(SECRET)
    return body.database as SiteDatabase
  }

  test(
    'is read by tables, and by the options of WordPress without their values',
    async () => {
      const { user } = world.shop
      const prefix = (await world.root(`SHOW TABLES FROM \`${user}\` LIKE '%\\_options'`))[0]
      await world.root(
        `INSERT INTO \`${user}\`.${prefix} (option_name, option_value, autoload) VALUES ('large', CONCAT('${SECRET}', REPEAT('x', 100000)), 'on'), ('_transient_timeout_a', '5', 'off'), ('_transient_a', '${SECRET}', 'off')`,
      )

      const { tables, options, queries, ...sums } = await reading()

      expect(tables.length).toBe(sums.table_count)
      expect(tables.map(({ engine }) => engine)).toEqual(tables.map(() => 'InnoDB'))
      expect(tables.find(({ name }) => name === prefix)?.data_bytes).toBeGreaterThan(16_000)
      expect(sums.data_bytes).toBe(tables.reduce((sum, { data_bytes }) => sum + data_bytes, 0))
      expect(options).toMatchObject([
        {
          ...{ table: prefix, expired: 1, expired_bytes: SECRET.length },
          largest: expect.arrayContaining([{ name: 'large', bytes: 100_000 + SECRET.length }]),
        },
      ])
      expect(queries).toBeNull()
    },
    2 * MINUTES,
  )

  test(
    'shows slow statements without their values, and none of another site',
    async () => {
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
    },
    2 * MINUTES,
  )
})
