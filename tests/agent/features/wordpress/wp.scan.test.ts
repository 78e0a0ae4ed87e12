import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { wpScan } from '#agent/features/wordpress/wp.scan.ts'
import { Inventory } from '#shared/kernel/inventory.ts'
import { contextOf, outcome } from '#tests/support/agent/debian.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const fixture = (name: string) =>
  readFileSync(
    new URL(`../../../support/fixtures/wordpress/${name}.ser`, import.meta.url),
    'utf8',
  ).trim()

const ACCOUNT = "define('DB_USER', 'shop'); define('DB_PASSWORD', 'p');"
const DOCROOT = '/srv/www/shop/public'
const FILES = {
  'wp-includes/version.php': "<?php\n$wp_version = '7.1.1';\n",
  'wp-config.php': `<?php define('DB_NAME', 'shop_db'); ${ACCOUNT} $table_prefix = 'x_';`,
  'wp-content/plugins/akismet/akismet.php': '<?php\n/* Plugin Name: Akismet\nVersion: 5.8\n*/',
  'wp-content/plugins/hello.php': '<?php\n/* Plugin Name: Hello\nVersion: 1.7.2\n*/',
  'wp-content/themes/twentytwentyfour/style.css': '/*\nTheme Name: TT4\nVersion: 1.6\n*/',
  'wp-content/themes/twentytwentyfour/index.php': '<?php',
  'wp-content/themes/twentytwentyfive/style.css': '/*\nTheme Name: TT5\nVersion: 1.5\n*/',
  'wp-content/themes/twentytwentyfive/index.php': '<?php',
}

function shop(files: Record<string, string> = {}): FakeHost {
  const host = fakeHost()
  const site = { domain: 'shop.example', php: '8.2', tier: 'small', tls: 'none', user: 'shop' }
  const record = JSON.stringify({ ...site, email: 'a@shop.example' })
  void host.disk.write('/var/lib/hosting-agent/sites/shop.example.json', record)
  for (const [path, text] of Object.entries({ ...FILES, ...files }))
    void host.disk.write(`${DOCROOT}/${path}`, text)
  return host
}

function options(host: FakeHost, kind: 'online' | 'offline', more: Record<string, string> = {}) {
  const values = {
    active_plugins: 'a:1:{i:0;s:19:"akismet/akismet.php";}',
    template: 'twentytwentyfive',
    stylesheet: 'twentytwentyfive',
    _site_transient_update_core: fixture(`update-core.${kind}`),
    _site_transient_update_plugins: fixture(`update-plugins.${kind}`),
    _site_transient_update_themes: fixture(`update-themes.${kind}`),
    ...more,
  }
  host.rows(
    'SET STATEMENT',
    Object.entries(values).map(([name, value]) => ({ name, value })),
  )
}

async function scan(host: FakeHost) {
  const context = contextOf(host)
  const [lines, result] = await outcome(wpScan.run({ domain: 'shop.example' }, context))
  expect(host.ran).toEqual([])
  return { lines, result: Inventory.parse(result) }
}

const entry = (slug: string, name: string, version: string, active: boolean | null) => ({
  ...{ slug, name, version, active },
  update: null as string | null,
})

test('reports installed, active and offered versions with one SELECT and no program', async () => {
  const host = shop()
  options(host, 'online')

  const { lines, result } = await scan(host)

  expect(lines).toEqual(['Reading the WordPress of shop.example'])
  expect(result).toEqual({
    wp_version: '7.1.1',
    plugins: [
      { ...entry('akismet', 'Akismet', '5.8', true), update: '5.9' },
      entry('hello', 'Hello', '1.7.2', false),
    ],
    themes: [
      entry('twentytwentyfive', 'TT5', '1.5', true),
      { ...entry('twentytwentyfour', 'TT4', '1.6', false), update: '1.7' },
    ],
    core_update: '7.1.2',
    updates: { plugins: 1, themes: 1, core: true },
  })
  expect(host.queries).toHaveLength(1)
  expect(host.queries[0]).toContain('| shop_db | x_options |')
})

const UNKNOWN = { plugins: null, themes: null, core: null }

test.each<[string, (host: FakeHost) => void, boolean | null, Record<string, string>]>([
  ['WordPress could not check', (host) => options(host, 'offline'), true, {}],
  ['the database does not answer', (host) => host.failSql('SET STATEMENT', 'gone away'), null, {}],
  [
    'an object cache stores them',
    (host) => options(host, 'online'),
    true,
    { 'wp-content/object-cache.php': '<?php' },
  ],
])('reports updates as unknown when %s', async (_, prepare, active, files) => {
  const host = shop(files)
  prepare(host)

  const { result } = await scan(host)

  expect(result).toMatchObject({ core_update: null, updates: UNKNOWN })
  expect(result.plugins[0]).toEqual(entry('akismet', 'Akismet', '5.8', active))
})

test('ignores offers that are not newer than the installed version', async () => {
  const host = shop({
    'wp-content/plugins/akismet/akismet.php': '<?php\n/* Plugin Name: Akismet\nVersion: 5.10\n*/',
    'wp-includes/version.php': "<?php\n$wp_version = '7.1.2';\n",
  })
  options(host, 'online')

  expect((await scan(host)).result).toMatchObject({
    core_update: null,
    updates: { plugins: 0, themes: 1, core: false },
  })
})

test('reads the network of a multisite, and counts its plugins as active', async () => {
  const config = "define('DB_NAME', 'd'); define('MULTISITE', true); $table_prefix = 'w_';"
  const host = shop({ 'wp-config.php': `<?php ${ACCOUNT} ${config}` })
  options(host, 'online', { active_sitewide_plugins: 'a:1:{s:9:"hello.php";i:1;}' })

  const { result } = await scan(host)

  expect(result.plugins.map(({ active }) => active)).toEqual([true, true])
  expect(host.queries[0]).toMatch(/UNION ALL .*w_options.*w_sitemeta/s)
})

test.each([
  [
    'another host',
    "define('DB_NAME', 'd'); define('DB_HOST', 'db.example'); $table_prefix = 'w_';",
  ],
  ['a computed name', "define('DB_NAME', getenv('D')); $table_prefix = 'w_';"],
  ['a hostile prefix', "define('DB_NAME', 'd'); $table_prefix = 'w_`; DROP';"],
])('does not query the database with %s', async (_, config) => {
  const host = shop({ 'wp-config.php': `<?php ${ACCOUNT} ${config}` })

  expect((await scan(host)).result.updates.core).toBeNull()
  expect(host.queries).toEqual([])
})

test('accepts options that PHP did not write', async () => {
  const host = shop()
  options(host, 'online', {
    active_plugins: 's:3:"all";',
    _site_transient_update_plugins: 'a:900000000:{i:0;s:0:"";i:0;s:-13:"',
    _site_transient_update_core: 'i:1;',
  })

  const { result } = await scan(host)

  expect(result.plugins[0]?.active).toBeNull()
  expect(result.updates).toEqual({ plugins: null, themes: 1, core: null })
})
