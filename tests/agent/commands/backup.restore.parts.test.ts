import { expect, test } from 'bun:test'
import { backupRestore } from '#agent/commands/backup.restore.ts'
import { backupUndo } from '#agent/commands/backup.undo.ts'
import type { BackupParts } from '#shared/backup-parts.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { times } from '#tests/support/runs.ts'

const PUBLIC = '/srv/www/shop/public'
const SAVED = {
  [`${PUBLIC}/page.html`]: 'as saved',
  [`${PUBLIC}/a/b/file`]: 'as saved',
  [`${PUBLIC}/odd[1]*/file`]: 'as saved',
}
const PATHS = ['a/b/file', 'odd[1]*']
const FILES: BackupParts = { files: true, database: false, paths: PATHS }
const TABLES: BackupParts = { files: false, database: true, tables: ['x'] }
const BOTH = { ...FILES, ...TABLES, files: true }

/** A site that lost a folder, and got a file in another one, after its backup. */
async function changedSite() {
  const { host, restore } = await savedSite(SAVED)
  host.disk.drop(`${PUBLIC}/a`)
  host.disk.putText(`${PUBLIC}/odd[1]*/file`, 'changed')
  host.disk.putText(`${PUBLIC}/odd[1]*/new`, 'new')
  host.disk.putText(`${PUBLIC}/page.html`, 'changed')
  return { host, restore }
}
const run = (host: FakeHost, params: Parameters<typeof backupRestore.run>[0]) =>
  outcome(backupRestore.run(params, contextOf(host)))
const undo = (host: FakeHost) => outcome(backupUndo.run({ domain: shop.domain }, contextOf(host)))

/** The texts of the files of the site, without those of WordPress. */
const texts = ({ disk }: FakeHost) =>
  Object.fromEntries(
    Object.entries(disk.all)
      .filter(([path]) => path.startsWith(`${PUBLIC}/`) && /page|file|new/.test(path))
      .map(([path, text]) => [path.slice(PUBLIC.length + 1), text]),
  )
const CHANGED = {
  'odd[1]*/file': 'changed',
  'odd[1]*/new': 'new',
  'page.html': 'changed',
}
const RESTORED = {
  'a/b/file': 'as saved',
  'odd[1]*/file': 'as saved',
  'page.html': 'changed',
}

test('replaces chosen files and folders, and leaves all others alone', async () => {
  const { host, restore } = await changedSite()
  expect(texts(host)).toEqual(CHANGED)

  const [lines, result] = await run(host, restore(FILES))

  expect(result).toMatchObject({ domain: 'shop.example' })
  expect(lines).toContain('Fetching 2 files and folders')
  expect(lines).toContain('Replacing 2 files and folders')
  expect(texts(host)).toEqual(RESTORED)
  expect(await undo(host)).toEqual([expect.any(Array), { domain: 'shop.example' }])
  expect(texts(host)).toEqual(CHANGED)
  expect(host.disk.find(`${PUBLIC}/a`)).toBe(undefined)
})

test('keeps what visitors wrote after the restore when it is undone', async () => {
  const { host, restore } = await changedSite()
  await run(host, restore(FILES))
  host.disk.putText(`${PUBLIC}/page.html`, 'later')

  await undo(host)

  expect(texts(host)).toEqual({ ...CHANGED, 'page.html': 'later' })
})

test('does not know a path that the backup does not have, and changes nothing', async () => {
  const { host, restore } = await changedSite()

  const [lines, reason] = await run(host, restore({ ...FILES, paths: ['page.html', 'b/c'] }))

  expect(reason).toBe('The backup does not have b/c')
  expect(lines).not.toContain('Stopping PHP')
  expect([texts(host), host.disk.find('/srv/www/.restore/shop/fetched')]).toEqual([
    CHANGED,
    undefined,
  ])
})

test('refuses a path below a link of the site, and moves the site back', async () => {
  const { host, restore } = await changedSite()
  await host.disk.link('/etc', `${PUBLIC}/a`)

  const [, reason] = await run(host, restore(FILES))

  expect(reason).toBe('a is not a folder on the site now: rename it, then try again')
  expect(texts(host)).toEqual(CHANGED)
})

test('says what is missing when the previous state has no place any more', async () => {
  const { host, restore } = await changedSite()
  await run(host, restore({ ...FILES, paths: ['odd[1]*/file'] }))
  host.disk.drop(`${PUBLIC}/odd[1]*`)

  const [, reason] = await undo(host)

  expect(reason).toBe('The site has no folder odd[1]*: create it, then try again')
  expect(texts(host)).toEqual({ 'page.html': 'changed' })
})

test('imports chosen tables alone, and does not drop the database', async () => {
  const { host, restore } = await changedSite()

  const [lines, result] = await run(host, restore(TABLES))

  expect(result).toMatchObject({ domain: 'shop.example' })
  expect(lines).toContain('Replacing x')
  expect(host.queries.filter((sql) => /^(DROP|CREATE) DATABASE/.test(sql))).toEqual([])
  const drop = host.runs.find(({ options }) => options.input?.includes('DROP TABLE'))
  expect(drop?.options.input).toBe('SET foreign_key_checks = 0;\nDROP TABLE IF EXISTS `x`;\n')
  const imports = () => host.runs.flatMap(({ options }) => options.input_file ?? [])
  expect(imports()).toEqual(['/srv/www/.restore/shop/fetched/chosen.sql'])
  await undo(host)
  expect(imports().at(-1)).toBe('/srv/www/.restore/shop/previous/chosen.sql')
  expect(host.queries.filter((sql) => /^(DROP|CREATE) DATABASE/.test(sql))).toEqual([])
})

test('does not know a table that the backup does not have, and changes nothing', async () => {
  const { host, restore } = await changedSite()

  const [lines, reason] = await run(host, restore({ ...TABLES, tables: ['x', 'y`'] }))

  expect(reason).toBe('The backup does not have the table y`')
  expect(lines).not.toContain('Stopping PHP')
})

test('refuses tables of a site that has lost its database', async () => {
  const { host, restore } = await changedSite()
  host.databases.delete('shop')

  const [, reason] = await run(host, restore(TABLES))

  expect(reason).toBe('shop.example has no database now: restore the whole database')
})

test('leaves the site as it was, whichever effect fails', async () => {
  const made = async () => (await changedSite()).host
  const { restore } = await changedSite()
  let failed = 0
  await eachFault(
    made,
    (host) => run(host, restore(BOTH)),
    async (host, _, [, result], fault) => {
      if (typeof result !== 'string') return
      failed += 1
      expect([fault, texts(host)]).toEqual([fault, CHANGED])
    },
  )
  expect(failed).toBeGreaterThan(times(30))
})

test('keeps the restored state, or restores the previous one, whichever effect fails', async () => {
  const { restore } = await changedSite()
  const made = async () => {
    const { host } = await changedSite()
    await run(host, restore(BOTH))
    return host
  }
  await eachFault(made, undo, async (host, _, [, result], fault) => {
    const expected = typeof result === 'string' ? RESTORED : CHANGED
    expect([fault, texts(host)]).toEqual([fault, expected])
  })
})
