import { expect, test } from 'bun:test'
import { SCAN_LIMITS, ScanBudget, type ScanLimits, siteTree } from '#agent/kernel/scan/access.ts'
import { scannerOn } from '#agent/kernel/scan/answer.ts'
import { eachFolder } from '#tests/support/each-folder.ts'
import { fill } from '#tests/support/rooted-files.ts'

const DOCROOT = '/srv/www/shop/public'
const UNKNOWN = { plugins: null, themes: null, core: null }

let root = ''
eachFolder((path) => {
  root = path
})

const config = (more = '') =>
  `<?php define('DB_NAME', 'd'); define('DB_USER', 'u'); define('DB_PASSWORD', 'p'); ${more}
   $table_prefix = 'w_';`

/** A WordPress with this many plugins, scanned within these limits. */
async function scan(plugins: number, limits: Partial<ScanLimits>, text = config(), name = 'P') {
  const place = (number: number) => `${DOCROOT}/wp-content/plugins/p${number}/p.php`
  const files = Array.from({ length: plugins }, (_, number) => [
    place(number),
    `<?php\n/* Plugin Name: ${name}${number}\nVersion: 1 */`,
  ])
  fill(root, {
    [`${DOCROOT}/wp-includes/version.php`]: "<?php\n$wp_version = '7.1.1';\n",
    [`${DOCROOT}/wp-config.php`]: text,
    ...Object.fromEntries(files),
  })
  const asked: string[][] = []
  const scanner = scannerOn({
    socket: '/run/mysqld/mysqld.sock',
    owner: () => 'shop',
    read(_, work) {
      const budget = new ScanBudget({ ...SCAN_LIMITS, ...limits }, () => 0)
      const value = work((path) => siteTree(root + path, budget))
      return { value, limit: budget.reached }
    },
    async query({ user, password, values }) {
      asked.push([user, password, ...values.slice(0, 2)])
      return [
        { name: '_site_transient_update_plugins', value: 'a:1:{s:7:"checked";a:0:{}}' },
        { name: '_site_transient_update_themes', value: 'a:1:{s:7:"checked";a:0:{}}' },
      ]
    },
  })
  const { answer, unsure } = await scanner.application({ docroot: DOCROOT })
  return { asked, scanned: answer, unsure, scanner }
}

test('counts updates of a site that it read completely', async () => {
  const { scanned, asked } = await scan(3, {})

  expect(scanned).toEqual({
    ...{ owner: 'shop', limit: null, framework: 'wordpress', wp_version: '7.1.1', db_name: 'd' },
    updates: { plugins: 0, themes: 0, core: null },
    unknown_because: 'not_checked',
  })
  expect(asked).toEqual([['u', 'p', 'd', 'w_options']])
})

test.each([
  ['entries', { entries: 2 }],
  ['bytes', { bytes: 200 }],
] as const)(
  'reports updates as unknown when the limit of %s ends the scan',
  async (limit, limits) => {
    const { scanned } = await scan(3, limits)

    expect(scanned).toEqual({
      ...{ owner: 'shop', limit, framework: 'wordpress', wp_version: '7.1.1', db_name: 'd' },
      updates: UNKNOWN,
      unknown_because: 'limit',
    })
  },
)

test('answers at most half a MiB of plugins, and reports their updates as unknown', async () => {
  const { scanner } = await scan(700, {}, config(), 'x'.repeat(1000))

  const { answer: scanned } = await scanner.inventory({ docroot: DOCROOT })

  expect(scanned?.inventory.plugins.length).toBe(489)
  expect([scanned?.limit, scanned?.inventory.updates]).toEqual(['bytes', UNKNOWN])
})

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['', true],
  ['localhost:3306', true],
  ['[::1]:3306', true],
  ['localhost:/run/mysqld/mysqld.sock', true],
  [':/var/run/mysqld/mysqld.sock', true],
  ['127.0.0.1:3307', false],
  ['localhost:/srv/www/shop/tmp/mysqld.sock', false],
  ['localhost:/run/mysqld/../../srv/www/shop/tmp/s', false],
  ['db.example', false],
  ['localhost.example', false],
  ['127.0.0.2', false],
  ['localhost:3306:/srv/s', false],
])('queries the database of the machine for DB_HOST %j: %p', async (host, local) => {
  const { asked } = await scan(0, {}, config(`define('DB_HOST', '${host}');`))

  expect(asked.length).toBe(local ? 1 : 0)
})
