import { expect, test } from 'bun:test'
import { databaseMaintain } from '#agent/features/database/database.maintain.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const hex = (text: string) => Buffer.from(text).toString('hex')
const MB = 2 ** 20

interface Stored {
  name: string
  mb?: number
  /** The message of MariaDB about it: kind and text. */
  said?: [string, string][]
}

const OK: [string, string][] = [['status', 'OK']]

/** A site with tables, and `inputs`, what the clients that work on them get. */
async function withTables(...tables: Stored[]) {
  const host = await server(shop)
  const inputs: string[] = []
  const rows = tables.map(({ name, mb = 1 }) =>
    ['table', hex(name), 'InnoDB', 1, mb * MB, 0, 0].join('\t'),
  )
  const list = [...rows, `total\t${rows.length}\t0\t0\t0`, 'end', ''].join('\n')
  const attempt = host.shell.try
  host.shell.try = async (argv, given) => {
    const output = await attempt(argv, given)
    const input = given?.input ?? ''
    if (argv[0] !== 'mariadb' || output.code !== 0) return output
    if (input.includes('information_schema')) return { ...output, stdout: list }
    inputs.push(input)
    return { ...output, stdout: answers(tables, input) }
  }
  return { host, inputs }
}

const answers = (tables: Stored[], input: string): string =>
  [...input.matchAll(/^SELECT 'table', (\d+);\n\w+ TABLE `(.*)`;$/gm)]
    .flatMap(([, at, quoted = '']) => {
      const name = quoted.replaceAll('``', '`')
      const { said = OK } = tables.find((table) => table.name === name) ?? {}
      return [`table\t${at}`, ...said.map((row) => ['shop.t', 'check', ...row].join('\t'))]
    })
    .join('\n')

const maintain = (host: FakeHost, more: object, warnings: Warning[] = []) =>
  outcome(databaseMaintain.run({ domain, action: 'check', ...more }, contextOf(host, warnings)))

test('reports what MariaDB says about each table, and warns of broken ones', async () => {
  const { host } = await withTables(
    { name: 'fine' },
    { name: 'old', said: [['warning', '1 client is using it'], ...OK] },
    {
      name: 'broken',
      said: [
        ['Error', 'Table is marked as crashed'],
        ['status', 'Corrupt'],
      ],
    },
    { name: 'gone', said: [['Error', "Table 'shop.gone' doesn't exist"]] },
    { name: 'silent', said: [] },
  )
  const warnings: Warning[] = []

  const [lines, result] = await maintain(host, {}, warnings)

  expect(lines).toEqual([
    `Checking 5 tables of ${domain}`,
    'fine: OK',
    'old: warning (1 client is using it)',
    'broken: failed (Table is marked as crashed)',
    "gone: failed (Table 'shop.gone' doesn't exist)",
    'silent: failed',
  ])
  expect(result).toMatchObject({
    domain,
    action: 'check',
    tables: [{ state: 'ok', message: '' }, {}, {}, {}, {}],
  })
  const message = '3 of 5 tables failed: broken, gone, silent'
  expect(warnings).toEqual([{ code: 'tables_failed', message }])
})

test('a rebuilt table of InnoDB is optimised, and a repair of it is not supported', async () => {
  const rebuilt = 'Table does not support optimize, doing recreate + analyze instead'
  const optimised = await withTables({ name: 'a', said: [['note', rebuilt], ...OK] })
  const refused = "The storage engine for the table doesn't support repair"
  const repaired = await withTables({ name: 'a', said: [['note', refused]] })

  const results = [
    await maintain(optimised.host, { action: 'optimise' }),
    await maintain(repaired.host, { action: 'repair' }),
  ]

  expect(results.map(([lines]) => lines.at(-1))).toEqual(['a: OK', `a: not supported (${refused})`])
  expect(optimised.inputs[0]).toContain('\nOPTIMIZE TABLE `a`;\n')
  expect(repaired.inputs[0]).toContain('\nREPAIR TABLE `a`;\n')
})

test('works on chosen tables only, as the site, and quotes their names', async () => {
  const { host, inputs } = await withTables({ name: 'a`; DROP TABLE b' }, { name: 'b' })

  await maintain(host, { tables: ['a`; DROP TABLE b'] })

  expect(inputs).toEqual([
    "SET SESSION max_statement_time = 0, lock_wait_timeout = 30;\nSELECT 'table', 0;\nCHECK TABLE `a``; DROP TABLE b`;\n",
  ])
  for (const { options, line } of host.runs)
    if (line.startsWith('mariadb')) expect(options.site?.user).toBe('shop')
})

test('small tables share a client, and a large one has its own', async () => {
  const small = Array.from({ length: 25 }, (_, at) => ({ name: `s${at}` }))
  const { host, inputs } = await withTables({ name: 'large', mb: 100 }, ...small)

  await maintain(host, {})

  expect(inputs.map((input) => input.split('CHECK').length - 1)).toEqual([1, 20, 5])
})

test('refuses a table that the site does not have, and a site without tables', async () => {
  const { host, inputs } = await withTables({ name: 'a' })
  const empty = await withTables()

  expect((await maintain(host, { tables: ['a', 'b\nc'] }))[1]).toBe(
    `Table b c of ${domain} not found`,
  )
  expect((await maintain(empty.host, {}))[1]).toBe(`The database of ${domain} has no tables`)
  expect([...inputs, ...empty.inputs]).toEqual([])
})

test('refuses to rebuild tables without space for a copy of the largest, and checks them', async () => {
  const { host } = await withTables({ name: 'a', mb: 3000 })
  host.files.space = async () => ({ free: 2000 * MB, total: 9000 * MB })

  const [, reason] = await maintain(host, { action: 'optimise' })

  expect(reason).toBe('Only 2000 MB are free for databases on this server, and this needs 4024 MB')
  expect((await maintain(host, {}))[0]).toContain('a: OK')
})

test('a full disk fails the operation, and does not count as broken tables', async () => {
  const message = 'Error writing file ./shop/a.frm (Errcode: 28 "No space left on device")'
  const { host, inputs } = await withTables(
    {
      name: 'a',
      mb: 100,
      said: [
        ['Error', message],
        ['status', 'Operation failed'],
      ],
    },
    { name: 'b' },
  )
  const warnings: Warning[] = []

  const [, reason] = await maintain(host, { action: 'optimise' }, warnings)

  expect([reason, warnings]).toEqual([`a could not be copied: ${message}`, []])
  expect(inputs).toHaveLength(1)
})

test('a client that fails is a failure without the statements that it quotes', async () => {
  const { host } = await withTables({ name: 'a' })
  const attempt = host.shell.try
  host.shell.try = async (argv, given) =>
    given?.input?.includes('CHECK')
      ? { code: 1, stdout: '', stderr: 'ERROR 1205 (HY000) at line 3: a secret' }
      : attempt(argv, given)

  expect((await maintain(host, {}))[1]).toBe(
    'MariaDB did not work on the tables (ERROR 1205 (HY000))',
  )
})

test('plans the tables that it changes; a check changes none', async () => {
  const { host, inputs } = await withTables({ name: 'a\u202e' })
  const plan = async (action: 'check' | 'optimise') =>
    (await databaseMaintain.plan({ domain, action }, host))[0]?.effects

  expect(await plan('check')).toEqual([{ action: 'run', kind: 'table', name: 'a' }])
  expect(await plan('optimise')).toEqual([{ action: 'change', kind: 'table', name: 'a' }])
  expect(inputs).toEqual([])
})
