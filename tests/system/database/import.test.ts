// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import {
  type SiteDatabaseWorld,
  startSiteDatabase,
} from '#tests/support/system/site-database-world.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

const MORE = /^The dump contains .* statement at line \d+; only tables are imported$/
const NOT_SQL = /^MariaDB did not import the dump \((ERROR 1064 .*|exit status 1)\)$/
const LOOT = '/tmp/hosting-loot'
/** Contents of a hostile dump, and why it is refused. */
const HOSTILE: [string, RegExp][] = [
  ['CREATE DEFINER=root@localhost PROCEDURE p() SELECT 1;', MORE],
  ['CREATE SQL SECURITY INVOKER VIEW v AS SELECT 1 AS a;', MORE],
  [`SELECT 1 INTO OUTFILE '${LOOT}';`, MORE],
  ["LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE planted;", MORE],
  ["GRANT ALL PRIVILEGES ON *.* TO bd@localhost IDENTIFIED BY 'bd';", MORE],
  ['USE mysql; DELETE FROM global_priv;', MORE],
  [`\\! touch ${LOOT}\n;`, NOT_SQL],
  [`system touch ${LOOT}\n;`, NOT_SQL],
]

for (const suite of releases('site-database.import')) {
  unless(lab.available()).describe(`a dump that is imported on ${suite}`, () => check(suite))
}

function check(suite: Suite): void {
  let world: SiteDatabaseWorld
  let database: string

  beforeAll(async () => {
    world = await startSiteDatabase(suite, suites[suite].php)
    database = world.shop.user
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  const tables = () => world.root(`SHOW TABLES FROM \`${database}\``)
  const checksums = async () => {
    const list = (await tables()).map((name) => `\`${database}\`.${name}`)
    return world.root(`CHECKSUM TABLE ${list.join(', ')}`)
  }
  const bytes = (text: string) => new TextEncoder().encode(text)

  test('restores the state of an export, and the import can be undone', async () => {
    const response = await world.dashboard.open(world.at('/database/export'))
    const packed = await response.bytes()
    const exported = await checksums()
    await world.root(
      `USE \`${database}\`; CREATE TABLE later (a INT); INSERT INTO later VALUES (1)`,
    )
    const changed = await checksums()

    const merged = await world.import(packed, { packed: true })
    expect(merged).toMatchObject({ event: 'complete', data: { status: 'ok' } })
    expect(await checksums()).toEqual(expect.arrayContaining(exported))
    expect(await tables()).toContain('later')

    const random = Array.from({ length: 900 }, () => crypto.randomUUID().repeat(30))
    const filler = `CREATE TABLE filler (a TEXT);\n${random.map((text) => `INSERT INTO filler VALUES ('${text}');`).join('\n')}\n`
    const large = gzipSync(Buffer.concat([bytes(filler), gunzipSync(packed)]), { level: 0 })
    const replaced = await world.import(large, { packed: true, replace: true })
    expect(replaced).toMatchObject({ event: 'complete' })
    expect(await tables()).not.toContain('later')
    expect(await world.root(`SELECT COUNT(*) FROM \`${database}\`.filler`)).toEqual(['900'])

    const undone = (await world.stream('POST', '/backups/undo', {})).at(-1)
    expect(undone).toMatchObject({ event: 'complete' })
    expect(await tables()).not.toContain('filler')
    expect(await checksums()).toEqual(changed)
  })

  test('an export reports how far it is, until its end', async () => {
    const progress = async () =>
      (await world.dashboard.call('GET', world.at('/database/export/progress'))).body.export
    await world.root(
      `USE \`${database}\`; CREATE TABLE big (a TEXT) AS SELECT HEX(RANDOM_BYTES(1000)) AS a FROM seq_1_to_40000; ANALYZE TABLE big`,
    )
    expect(await progress()).toBeNull()

    const response = await world.dashboard.open(world.at('/database/export'))
    const first = (await progress()) as { bytes: number; total: number }
    const packed = await response.bytes()

    expect(first.bytes).toBeGreaterThan(0)
    expect(first.total).toBeGreaterThan(60e6)
    expect(first.bytes).toBeLessThan(first.total)
    expect(gunzipSync(packed).length).toBeGreaterThan(80e6)
    expect(await lab.poll(async () => (await progress()) === null)).toBe(true)
    await world.root(`DROP TABLE \`${database}\`.big`)
  })

  test.each([false, true])(
    'reports how much of it is imported (compressed: %s)',
    async (packed) => {
      const rows = Array.from({ length: 40 }, () => crypto.randomUUID().repeat(2000))
      const inserts = rows.map((text) => `INSERT INTO filler VALUES ('${text}');\nDO SLEEP(0.3);\n`)
      const text = bytes(`CREATE TABLE filler (a LONGTEXT);\n${inserts.join('')}`)
      const dump = packed ? gzipSync(text, { level: 0 }) : text

      const events = await world.imported(dump, { packed })

      const lines = events.flatMap(({ event, data }) => (event === 'log' ? [data.message] : []))
      const progress = lines.filter((line) => String(line).startsWith('Importing the dump: '))
      expect(events.at(-1)).toMatchObject({ event: 'complete' })
      expect(progress.length).toBeGreaterThan(0)
      const form = /^Importing the dump: [\d.]+ [kM]B of 2\.9 MB \(\d+ %\)(, about \d+ s left)?$/
      expect(progress).toEqual(progress.map(() => expect.stringMatching(form)))
      const shares = progress.map((line) => Number(/\((\d+) %\)/.exec(String(line))?.[1]))
      expect(shares).toEqual(shares.toSorted((one, other) => one - other))
      await world.stream('POST', '/backups/undo', {})
    },
  )

  test('runs nothing but statements on tables of the site, and is undone otherwise', async () => {
    const before = await checksums()
    for (const [statement, reason] of HOSTILE) {
      const text = `CREATE TABLE planted (a TEXT);\nDROP TABLE later;\n${statement}\n`
      const end = await world.import(bytes(text), {})

      expect([statement, end?.event]).toEqual([statement, 'error'])
      expect([statement, end?.data.message]).toEqual([statement, expect.stringMatching(reason)])
      expect(await checksums()).toEqual(before)
      expect((await world.host.exec(['ls', LOOT])).code).toBe(2)
      expect(await world.root("SELECT User FROM mysql.global_priv WHERE User = 'bd'")).toEqual([])
    }
    const packed = gzipSync(
      bytes(`CREATE TABLE later (a INT);\n${'SELECT 1;\n'.repeat(200_000)}`),
      {
        level: 0,
      },
    )
    const refused = await world.import(packed, { packed: true })
    expect(refused?.data.message).toStartWith('MariaDB did not import the dump (ERROR 1050 ')
    const damaged = await world.import(gzipSync(bytes('SELECT 1;')).slice(0, 20), {
      packed: true,
    })
    expect(damaged?.data.message).toContain('is not a complete gzip file')
    expect(await checksums()).toEqual(before)
  })

  test('is undone when the agent is killed during the import', async () => {
    const before = await checksums()
    const text = `DROP TABLE later;\nCREATE TABLE slow (a INT);\nSELECT SLEEP(20);\n`
    const ending = world.import(bytes(text), {})
    const sleeping = `SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP(20)%' AND USER = '${database}'`
    const seen = async () => (await world.root(sleeping))[0] !== '0'
    expect(await lab.poll(seen, { every_ms: 200, timeout_ms: 60_000 })).toBe(true)
    await world.host.must(['systemctl', 'kill', '--signal=KILL', 'hosting-agent.service'])

    expect((await ending)?.event).toBe('error')
    expect(await checksums()).toEqual(before)
    const left = await world.host.exec(['find', '/var/lib/hosting-agent/uploads', '-type', 'f'])
    expect(left.stdout).toBe('')
  })
}
