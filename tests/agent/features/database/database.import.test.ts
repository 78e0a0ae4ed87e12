import { beforeEach, expect, test } from 'bun:test'
import { accountIn, dumpIn, previousOf, replacedOf } from '#agent/features/backups/paths.ts'
import { databaseImport } from '#agent/features/database/database.import.ts'
import { storePart } from '#agent/features/database/site/uploads.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { contextOf, listOfTables, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const upload = 'a'.repeat(16)
const params = { domain, upload, part_count: 1, packed: true, replace: false }
const DUMP = 'CREATE TABLE a (b INT);\n-- Dump completed on 2026-01-01\n'

let host: FakeHost
/** What the client of the import was given, from the nearest program to the first. */
let chain: unknown[]

beforeEach(async () => {
  host = await server(shop)
  chain = []
  host.answer('mariadb --no', listOfTables('a'))
  host.answer('tail', '-- Dump completed on 2026-01-01\n')
  await storePart(host, { domain, upload, part: 0, data: 'YWJj' })
  imports(DUMP)
})

/** The import succeeds with this text; or its client ends with an error. */
function imports(text: string, error = ''): void {
  const attempt = host.shell.try
  host.shell.try = async (argv, given) => {
    const output = await attempt(argv, given)
    if (argv[0] !== 'mariadb' || !given?.input_from) return output
    chain = []
    for (let from = given.input_from; from; from = from.options.input_from as typeof from) {
      chain.push([from.argv[0], from.options.site?.user])
      if (!from.options.input_from) break
    }
    const fed = { code: 0, stderr: '', bytes: text.length, sha256: '', end: text.slice(-200) }
    return { ...output, code: error === '' ? 0 : 1, stderr: error, fed }
  }
}

const run = (more: object = {}, warnings: Warning[] = []) =>
  outcome(databaseImport.run({ ...params, ...more }, contextOf(host, warnings)))

test('imports with the rights of the site, and keeps the previous database for a week', async () => {
  const warnings: Warning[] = []

  const [lines, result] = await run({}, warnings)

  expect(lines).toContain('Importing an upload of 1 MB')
  expect(result).toMatchObject({ domain, bytes: DUMP.length })
  expect(warnings).toEqual([])
  expect(chain).toEqual([
    ['head', 'shop'],
    ['gzip', 'shop'],
    ['base64', 'shop'],
    ['cat', undefined],
  ])
  expect(host.queries.filter((query) => query.startsWith('DROP DATABASE'))).toEqual([])
  expect(await databaseImport.finished?.(params, host)).toMatchObject({ domain })
  expect(Object.keys(host.disk.all).filter((path) => path.includes('/uploads/'))).toEqual([])
  expect(await host.disk.stat(previousOf('shop'))).toBeDefined()
})

test.each([
  ['packed', true, 'gzip'],
  ['plain', false, 'head'],
])('reports how much of a %s upload it has imported', async (_, packed, name) => {
  const attempt = host.shell.try
  let elapsed = 0
  host.clock.elapsed = () => elapsed
  host.shell.try = async (argv, given) => {
    let program = argv[0] === 'mariadb' ? given?.input_from : undefined
    while (program && program.argv[0] !== name) program = program.options.input_from
    for (const bytes of program ? [1, 2, 3] : []) {
      elapsed += 3000
      program?.options.seen?.(bytes)
    }
    return attempt(argv, given)
  }
  const told: string[] = []
  Object.assign(host, { tell: (line: string) => told.push(line) })

  await run({ packed })

  expect(told).toEqual(['Importing the dump: 2 B of 3 B (66 %), about 3 s left'])
})

test('replaces all tables on request only', async () => {
  await run({ replace: true, packed: false })

  expect(host.queries.some((query) => query.startsWith('DROP DATABASE'))).toBe(true)
  expect(chain).toEqual([
    ['head', 'shop'],
    ['base64', 'shop'],
    ['cat', undefined],
  ])
})

test('a dump that is refused is undone: the saved database is restored', async () => {
  imports(DUMP, 'ERROR 1044 (42000) at line 7: Access denied')

  const [, reason] = await run()

  expect(reason).toBe(
    'The dump contains a view, routine, trigger, event or account statement at line 7; only tables are imported',
  )
  const [step] = ((await databaseImport.steps?.(params, host)) ?? []).filter(
    ({ name }) => name === 'database',
  )
  await host.disk.write(dumpIn(replacedOf('shop')), DUMP)
  await host.disk.write(accountIn(replacedOf('shop')), 'null')
  host.queries.length = 0
  await step?.undo?.()
  expect(host.queries.some((query) => query.startsWith('CREATE DATABASE'))).toBe(true)
  expect(host.runs.at(-2)?.options.input_file ?? host.runs.at(-1)?.options.input_file).toBe(
    dumpIn(replacedOf('shop')),
  )
})

test('warns of a dump without an end', async () => {
  imports('CREATE TABLE a (b INT);\n')
  const warnings: Warning[] = []

  await run({}, warnings)

  expect(warnings).toMatchObject([{ code: 'dump_without_end' }])
})

test.each([
  [{ part_count: 2 }, 'Part 0 of the upload is not complete: upload the dump again'],
  [{ upload: 'b'.repeat(16) }, 'Part 0 of the upload is missing: upload the dump again'],
])('refuses %p before anything changes', async (more, reason) => {
  const before = { ...host.disk.all }

  expect((await run(more))[1]).toBe(reason)
  expect(host.disk.all).toEqual(before)
})

test('plans the import without an upload, and changes nothing', async () => {
  const before = { ...host.disk.all }

  const steps = await databaseImport.plan({ ...params, upload: 'b'.repeat(16) }, host)

  expect(steps.map(({ name }) => name)).toContain('database')
  expect(host.disk.all).toEqual(before)
})

test('an undo that fails keeps the saved database, and a later one restores it', async () => {
  imports(DUMP, 'ERROR 1062 (23000) at line 7: Duplicate entry')
  const { admin } = host.database
  const path = dumpIn(replacedOf('shop'))
  host.database.admin = async (statement, values) => {
    if (statement === 'end_connections') throw new Error('connect ECONNREFUSED')
    return admin(statement, values)
  }

  const [, reason] = await run()

  expect(reason).toContain('could not undo: Importing the dump (connect ECONNREFUSED)')
  expect(await host.disk.stat(replacedOf('shop'))).toBeDefined()
  expect(host.queries.filter((query) => query.startsWith('DROP'))).toEqual([])
  host.database.admin = admin
  await host.disk.write(path, DUMP)
  const steps = (await databaseImport.steps?.(params, host)) ?? []
  const undo = (name: string) => steps.find((step) => step.name === name)?.undo?.()
  await undo('database')
  expect(host.queries.some((query) => query.startsWith('CREATE DATABASE'))).toBe(true)
  await undo('keep')
  expect(await host.disk.stat(replacedOf('shop'))).toBeUndefined()
})

test('without its saved state, an undo leaves the database alone', async () => {
  const steps = (await databaseImport.steps?.(params, host)) ?? []

  const undone = steps.find(({ name }) => name === 'database')?.undo?.()

  expect(undone).rejects.toThrow('The saved state is missing')
  await undone?.catch(() => undefined)
  expect(host.queries.filter((query) => query.startsWith('DROP'))).toEqual([])
})

test('refuses a database with objects that an undo would lose', async () => {
  await host.disk.write('/var/lib/mysql/shop/orders.TRN', 'TYPE=TRIGGERNAME')

  const [, reason] = await run()

  expect(reason).toBe(
    'The database has a trigger (orders), which a failed import would lose: remove it first',
  )
})

test('refuses a dump that does not fit on the disk', async () => {
  const before = { ...host.disk.all }
  host.disk.space = async () => ({ free: 1e6, total: 1e9 })

  expect((await run())[1]).toContain('the import needs')
  expect(host.disk.all).toEqual(before)
})
