import { expect, test } from 'bun:test'
import { KNOWN_PLUGINS, readDatabase } from '#agent/features/database/site/reading.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const hex = (text: string) => Buffer.from(text).toString('hex')
const lines = (...rows: unknown[][]) => `${rows.map((row) => row.join('\t')).join('\n')}\nend\n`
const HOSTILE = 'a`b_options'
const TABLE_ROWS = [
  ['table', hex('wp_posts'), 'InnoDB', 12, 65536, 16384, 4096],
  ['table', hex(HOSTILE), '', 0, 0, 0, 0],
  ['total', 2, 65536, 16384, 4096],
  ['options', hex(HOSTILE)],
]
const TABLES = lines(...TABLE_ROWS)
/** For each known plugin, in their order. */
const activeBut = (...names: string[]) =>
  KNOWN_PLUGINS.map(({ name }) => (names.includes(name) ? 0 : 1))
const ownerOf = (plugin: string) => KNOWN_PLUGINS.findIndex(({ name }) => name === plugin)
const OPTIONS = lines(
  ['all0', 3, 900],
  ['one0', hex('cron'), 800],
  ['expired0', 2, 70],
  ['active0', ...activeBut('Wordfence', 'WooCommerce')],
  ['owner0', ownerOf('Wordfence'), 2, 40],
  ['owner0', ownerOf('WooCommerce'), 1, 50],
  ['owner0', ownerOf('Elementor'), 9, 900],
  ['owner0', 'of the site', 1, 45],
)
const ADMIN = 'SELECT @@GLOBAL.performance_schema'

/** The client answers by the statements that it gets; undefined: it fails. */
async function withAnswers(tables: string | undefined, options: string | undefined) {
  const host = await server(shop)
  const attempt = host.shell.try
  host.shell.try = async (argv, given) => {
    const output = await attempt(argv, given)
    if (argv[0] !== 'mariadb') return output
    const text = given?.input?.includes("SELECT 'table'") ? tables : options
    return text === undefined
      ? { code: 1, stdout: '', stderr: "ERROR 1226 (42000) at line 1: User 'shop' a secret" }
      : { ...output, stdout: text }
  }
  return host
}

const inputs = (host: FakeHost) =>
  host.runs.flatMap(({ options, line }) =>
    line.startsWith('mariadb') ? [options.input ?? ''] : [],
  )

test('reads the tables, the options that WordPress loads, and no statements by default', async () => {
  const host = await withAnswers(TABLES, OPTIONS)

  expect(await readDatabase(host, shop.domain)).toEqual({
    tables: [
      {
        ...{ name: 'wp_posts', engine: 'InnoDB', rows: 12 },
        ...{ data_bytes: 65_536, index_bytes: 16_384, free_bytes: 4096 },
      },
      {
        ...{ name: HOSTILE, engine: null, rows: 0 },
        ...{ data_bytes: 0, index_bytes: 0, free_bytes: 0 },
      },
    ],
    ...{ table_count: 2, data_bytes: 65_536, index_bytes: 16_384, free_bytes: 4096 },
    options: [
      {
        ...{ table: HOSTILE, count: 3, bytes: 900, largest: [{ name: 'cron', bytes: 800 }] },
        ...{ expired: 2, expired_bytes: 70 },
        unused: [
          { plugin: 'WooCommerce', count: 1, bytes: 50 },
          { plugin: 'Wordfence', count: 2, bytes: 40 },
        ],
      },
    ],
    queries: null,
  })
})

test('runs as the site, in its sandbox without a network, and quotes the names that it chose', async () => {
  const host = await withAnswers(TABLES, OPTIONS)

  await readDatabase(host, shop.domain)

  const clients = host.runs.filter(({ line }) => line.startsWith('mariadb'))
  expect(clients.map(({ options }) => options.site?.user)).toEqual(['shop', 'shop'])
  for (const { options } of clients) {
    expect(options.site?.directives).toContain('PrivateNetwork=yes')
  }
  expect(inputs(host)[1]).toContain('FROM `a``b_options` WHERE')
  const other = inputs(host)[1]?.replaceAll(/LENGTH\((v\.)?option_value\)/g, '')
  // Whether a timeout has passed, and whether plugins are active.
  const own = other?.replaceAll(/INSTR\(option_value, '"[a-z0-9-]+\/'\) > 0/g, '')
  expect(own?.match(/\S*option_value.*$/gm)).toEqual(['t.option_value + 0 < UNIX_TIMESTAMP();'])
})

test('reads statements without values where MariaDB collects them', async () => {
  const host = await withAnswers(TABLES, OPTIONS)
  host.rows(ADMIN, [{ enabled: 1 }])
  host.rows('SET STATEMENT max_statement_time=5, lock_wait_timeout=1 FOR SELECT LEFT(DIGEST', [
    {
      ...{ text: 'SELECT ?', count: 2n, total_ms: '40', longest_ms: '30', rows_examined: 9n },
      ...{ rows_sent: 2n, without_index: 0n, last_at: '1767225600.5' },
    },
  ])

  expect((await readDatabase(host, shop.domain)).queries).toEqual([
    {
      ...{ text: 'SELECT ?', count: 2, total_ms: 40, longest_ms: 30, rows_examined: 9 },
      ...{ rows_sent: 2, without_index: 0, last_at: '2026-01-01T00:00:00.500Z' },
    },
  ])
  expect(host.queries.at(-1)).toEndWith(' | shop | 20')
})

test.each([
  ['a network of sites', lines(...TABLE_ROWS, ['network']), OPTIONS],
  ['a site whose list of plugins is unknown', TABLES, OPTIONS.replace(/^active0.*\n/m, '')],
])('no plugin is unused in %s', async (_, tables, options) => {
  const host = await withAnswers(tables, options)

  const { options: read } = await readDatabase(host, shop.domain)

  expect(read?.map(({ unused }) => unused)).toEqual([[]])
})

test('unreadable options leave the tables readable', async () => {
  const host = await withAnswers(TABLES, undefined)

  expect(await readDatabase(host, shop.domain)).toMatchObject({ table_count: 2, options: null })
})

test.each([
  ['refused', undefined, 'could not be read (error 1226 of MariaDB)'],
  ['cut off', 'total\t1\t1\t1\t1\n', 'could not be read to its end'],
])(
  'a list of tables that is %s is a conflict, without what the client wrote',
  async (_, text, why) => {
    const host = await withAnswers(text, OPTIONS)

    await expect(readDatabase(host, shop.domain)).rejects.toMatchObject({
      code: 'conflict',
      message: `The database of ${shop.domain} ${why}`,
    })
  },
)

test('an unknown site is not found', async () => {
  await expect(readDatabase(await server(), 'nobody.example')).rejects.toMatchObject({
    code: 'not_found',
  })
})
