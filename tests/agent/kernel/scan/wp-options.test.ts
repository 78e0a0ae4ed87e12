import { expect, test } from 'bun:test'
import { parseWpConfig } from '#agent/kernel/scan/wp-config.ts'
import { isReachedByTcp, optionsQuery } from '#agent/kernel/scan/wp-options.ts'

const SOCKET = '/run/mysqld/mysqld.sock'
const ACCOUNT = "define('DB_NAME', 'd'); define('DB_USER', 'u'); define('DB_PASSWORD', 'p');"

function queryOf(more: string) {
  return optionsQuery(parseWpConfig(`<?php ${ACCOUNT} $table_prefix = 'w_'; ${more}`), SOCKET)
}

test.each([
  ["define('MULTISITE', true);", true],
  ["define('MULTISITE', 1);", true],
  ["define('MULTISITE', '1');", true],
  ["define('SUBDOMAIN_INSTALL', false);", true],
  ["define('MULTISITE', false); define('SUNRISE', 'on');", false],
  ["define('MULTISITE', 0);", false],
  ["define('MULTISITE', '0');", false],
  ['', false],
])('reads the network of %s: %p', (more, network) => {
  expect(queryOf(more)).toMatchObject({
    values: network
      ? expect.arrayContaining(['w_sitemeta'])
      : expect.not.arrayContaining(['w_sitemeta']),
  })
})

test('reads the tables of the main site of a network', () => {
  expect(queryOf("define('MULTISITE', true); define('BLOG_ID_CURRENT_SITE', 3);")).toMatchObject({
    values: expect.arrayContaining(['w_3_options']),
  })
})

test.each([
  ['', 'LEFT(option_value, 1048576) AS value'],
  ["define('DB_CHARSET', 'utf8');", 'LEFT(option_value, 1048576) AS value'],
  [
    "define('DB_CHARSET', 'latin1');",
    'CAST(CONVERT(LEFT(option_value, 1048576) USING latin1) AS BINARY) AS value',
  ],
  ["define('DB_CHARSET', 'x) --');", 'LEFT(option_value, 1048576) AS value'],
])('reads the same bytes as WordPress with %j', (more, selected) => {
  expect(queryOf(more)).toMatchObject({ sql: expect.stringContaining(selected) })
})

test.each([
  ["include 'a.php';", 'incomplete'],
  ["if ($a) { define('MULTISITE', true); }", 'incomplete'],
  ["define('DB_HOST', 'db.example');", 'elsewhere'],
  ["define('DB_HOST', '127.0.0.1:3307');", 'elsewhere'],
])('queries nothing with %s', (more, why) => {
  expect(queryOf(more)).toBe(why as never)
})

test('queries also when only a folder is uncertain', () => {
  expect(queryOf("define('WP_CONTENT_DIR', f());")).toBe('incomplete' as never)
  expect(queryOf("define('WP_CONTENT_DIR', $dir . '/content');")).toMatchObject({ user: 'u' })
})

test.each([
  ['0 3306', true],
  ['OFF 3306 127.0.0.1', true],
  ['0 3306 127.0.0.1', true],
  ['0 3306 10.0.0.5,::1', true],
  ['0 3306 *', true],
  ['0 3307 127.0.0.1', false],
  ['1 3306 127.0.0.1', false],
  ['ON 3306 127.0.0.1', false],
  ['0 3306 10.0.0.5', false],
])('a site reaches a server that listens on %j by TCP: %p', (value, is) => {
  expect(isReachedByTcp([{ name: '@listens', value }])).toBe(is)
  expect(isReachedByTcp([])).toBe(false)
})
