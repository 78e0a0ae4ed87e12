// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { BackupHost, SITE } from '#tests/support/system/backup-host.ts'
import { startSteadyLoad } from '#tests/support/system/steady-load.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)
const COUNT = 6
const NUMBERS = Array.from({ length: COUNT }, (_, number) => number)
/** Small tables that each sale writes, and large ones: MariaDB lists them in any order. */
const TABLES = NUMBERS.map(
  (number) => `CREATE TABLE sold_${number} (count INT); INSERT INTO sold_${number} VALUES (0);
    CREATE TABLE bulk_${number} (id INT PRIMARY KEY, text TEXT);
    INSERT INTO bulk_${number} SELECT seq, REPEAT(MD5(RAND()), 40) FROM seq_1_to_10000;`,
).join('\n')
/** Each sale is one transaction. */
const SALE = NUMBERS.map((number) => `UPDATE sold_${number} SET count = count + 1`).join('; ')
const SELL = `while :; do echo 'START TRANSACTION; ${SALE}; COMMIT;'; done | mariadb ${SITE.user}`
const COUNTS = `SELECT ${NUMBERS.map((number) => `sold_${number}.count`).join(', ')}
  FROM ${NUMBERS.map((number) => `sold_${number}`).join(', ')}`
const PAGE = `<?php require __DIR__ . '/wp-load.php'; echo 'shop ', get_option('blogname');`

unless(lab.available()).describe('a backup of a site that is used', () => {
  let server: BackupHost

  /** The different counts of sales: one, in tables of one moment. */
  const sales = async () => {
    const text = await server.host.must(['mariadb', SITE.user, '-Ne', COUNTS])
    return [...new Set(text.trim().split('\t').map(Number))]
  }

  beforeAll(async () => {
    server = await BackupHost.start('used')
    await server.host.must(['mariadb', SITE.user], { input: TABLES })
    await server.host.put(`/srv/www/${SITE.user}/public/page.php`, PAGE)
    await server.quicken()
  }, 15 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test('has all tables of one moment, and neither visitors nor sales wait for it', async () => {
    const asked = { domain: SITE.domain, path: '/page.php', expected: 'shop ', per_second: 5 }
    const visits = startSteadyLoad(server.host, asked)
    const selling = server.host.spawn(['bash', '-c', SELL])
    const begins = async () => Number(await sales()) > 50
    expect(await lab.poll(begins, { every_ms: 50 })).toBe(true)
    const [before = 0] = await sales()

    const saved = await server.save()

    const [after = 0] = await sales()
    await selling.stop()
    const { good, bad } = await visits.stop()
    await server.completed('backup.restore', server.restoring(saved, PARTS))
    const [restored = 0, ...others] = await sales()
    expect(bad).toEqual([])
    expect(good).toBeGreaterThan(5)
    expect(others).toEqual([])
    expect(restored).toBeGreaterThanOrEqual(before)
    expect(after).toBeGreaterThan(restored + 50)
  })
})

const PARTS = { files: false, database: true }
