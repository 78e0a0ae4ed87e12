import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { BackupHost, SITE } from '#tests/support/system/backup-host.ts'
import { startSteadyLoad } from '#tests/support/system/steady-load.ts'

const MINUTES = 60_000
/** Dumped by name: the first and the last table, and a large one between them. */
const TABLES = `CREATE TABLE aa_orders (left_over INT); INSERT INTO aa_orders VALUES (1000000);
  CREATE TABLE zz_orders (sold INT); INSERT INTO zz_orders VALUES (0);
  CREATE TABLE mm_bulk (id INT PRIMARY KEY, text TEXT);
  INSERT INTO mm_bulk SELECT seq, REPEAT(MD5(RAND()), 40) FROM seq_1_to_60000`
/** Each sale is one transaction. */
const SELL = `while :; do
  echo 'START TRANSACTION; UPDATE aa_orders SET left_over = left_over - 1; DO SLEEP(0.002);
    UPDATE zz_orders SET sold = sold + 1; COMMIT;'
done | mariadb ${SITE.user}`
const PAGE = `<?php require __DIR__ . '/wp-load.php'; echo 'shop ', get_option('blogname');`

unless(lab.available()).describe('a backup of a site that is used', () => {
  let server: BackupHost

  const sql = (text: string) => server.host.must(['mariadb', SITE.user, '-Ne', text])
  const orders = async () => {
    const text = await sql('SELECT left_over, sold FROM aa_orders, zz_orders')
    const [left = 0, sold = 0] = text.trim().split('\t').map(Number)
    return { sum: left + sold, sold }
  }

  beforeAll(async () => {
    server = await BackupHost.start('used')
    await server.host.must(['mariadb', SITE.user], { input: TABLES })
    await server.host.put(`/srv/www/${SITE.user}/public/page.php`, PAGE)
    await server.quicken()
  }, 15 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test(
    'has all tables of one moment, and neither visitors nor sales wait for it',
    async () => {
      const asked = { domain: SITE.domain, path: '/page.php', expected: 'shop ', per_second: 5 }
      const visits = startSteadyLoad(server.host, asked)
      const selling = server.host.spawn(['bash', '-c', SELL])
      const begins = async () => (await orders()).sold > 50
      expect(await lab.poll(begins, { every_ms: 50 })).toBe(true)
      const before = await orders()

      const saved = await server.save()

      const after = await orders()
      await selling.stop()
      const { good, bad } = await visits.stop()
      await server.completed('backup.restore', server.restoring(saved, PARTS))
      const restored = await orders()
      expect(bad).toEqual([])
      expect(good).toBeGreaterThan(5)
      expect([before.sum, restored.sum, after.sum]).toEqual([1_000_000, 1_000_000, 1_000_000])
      expect(restored.sold).toBeGreaterThanOrEqual(before.sold)
      expect(after.sold).toBeGreaterThan(restored.sold + 50)
    },
    10 * MINUTES,
  )
})

const PARTS = { files: false, database: true }
