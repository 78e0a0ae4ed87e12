import { expect, test } from 'bun:test'
import { backupRestore } from '#agent/features/backups/backup.restore.ts'
import { backupUndo } from '#agent/features/backups/backup.undo.ts'
import type { BackupParts } from '#shared/backups/backup-parts.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { NEW, OLD, rename } from '#tests/support/agent/renaming.ts'
import { during } from '#tests/support/agent/replaced.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const PAGE = '/srv/www/shop/public/page.html'
const BOTH = { files: true, database: true }

/** A site that was changed after its backup. */
async function changedSite() {
  const { host, restore } = await savedSite({ [PAGE]: 'as saved' })
  host.disk.putText(PAGE, 'changed')
  return { host, restore }
}
const undo = (host: FakeHost) => outcome(backupUndo.run({ domain: shop.domain }, contextOf(host)))
const run = (host: FakeHost, params: Parameters<typeof backupRestore.run>[0]) =>
  outcome(backupRestore.run(params, contextOf(host)))

test('has its files on the disk at its end: a power failure would leave empty ones', async () => {
  const { host, restore } = await changedSite()

  await run(host, restore(BOTH))

  const ran = host.runs.map(({ line }) => line)
  const sync = ran.lastIndexOf('sync --file-system -- /srv/www/shop')
  expect(sync).toBeGreaterThan(ran.findLastIndex((line) => line.includes(' restore ')))
})

test('fetches and checks everything, then replaces files and database, and keeps the previous state', async () => {
  const { host, restore } = await changedSite()

  const [lines, result] = await run(host, restore(BOTH))

  expect(lines).toEqual([
    'Connecting to the target',
    'Fetching the backup',
    'Fetching the database: 33 B',
    'Fetching 1 files: 1.0 kB',
    'Disconnecting from the target',
    'Pausing the jobs of WordPress',
    'Stopping PHP',
    'Keeping the current state',
    'Saving the current database',
    'Replacing the database',
    'Replacing the files',
    'Setting the database password from wp-config.php',
    'Writing the files to the disk',
    'Starting PHP 8.2',
    'Keeping the previous state for a week',
    'Resuming the jobs of WordPress',
    'Emptying the page cache of shop.example',
    'Waiting for an answer of the site',
    'Removing the fetched data',
  ])
  expect(result).toEqual({
    domain: 'shop.example',
    at: '2026-01-01T00:00:00.000Z',
    until: '2026-01-08T00:00:00.000Z',
  })
  expect(host.disk.text(PAGE)).toBe('as saved')
  expect(
    Object.keys(host.disk.all).filter((path) =>
      /^\/srv\/www\/.restore\/shop\/\w+(\/[\w.]+)?$/.test(path),
    ),
  ).toEqual([
    '/srv/www/.restore/shop/previous',
    '/srv/www/.restore/shop/previous/account.json',
    '/srv/www/.restore/shop/previous/database.sql',
    '/srv/www/.restore/shop/previous/facts.json',
    '/srv/www/.restore/shop/previous/public',
  ])
  expect(host.disk.all['/var/lib/hosting-agent/backups/shop/open']).toBeUndefined()
})

test('an obstacle after the start of PHP undoes nothing, as visitors write from then on', async () => {
  const { host, restore } = await changedSite()
  const warnings: Warning[] = []
  host.disk.putFolder('/var/cache/hosting/shop', { mode: 0o700 })
  during(host, 'find /var/cache/hosting/shop', () => {
    host.disk.putText(PAGE, 'by a visitor')
    throw new Error('The page cache is broken')
  })

  const [, result] = await outcome(backupRestore.run(restore(BOTH), contextOf(host, warnings)))

  expect(result).toEqual(expect.objectContaining({ domain: 'shop.example' }))
  expect(warnings).toEqual([{ code: 'cleanup_pending', message: 'The page cache is broken' }])
  expect(host.disk.text(PAGE)).toBe('by a visitor')
})

test('the slice of the site keeps its file while PHP is stopped: nothing takes it for left over', async () => {
  const { host, restore } = await changedSite()
  const present: boolean[] = []
  const work = backupRestore.run(restore(BOTH), contextOf(host))

  for (let next = await work.next(); !next.done; next = await work.next()) {
    present.push(host.disk.all['/etc/systemd/system/hosting-shop.slice'] !== undefined)
  }

  expect(new Set(present)).toEqual(new Set([true]))
  expect(host.ran).toContain('systemctl stop hosting-shop.slice')
})

test('replaces only the parts that are named', async () => {
  const { host, restore } = await changedSite()

  const [lines] = await run(host, restore({ files: false, database: true }))

  expect(lines).toContain('Replacing the database')
  expect(lines).not.toContain('Replacing the files')
  expect(host.disk.text(PAGE)).toBe('changed')
})

test('is undone: the previous state is restored, once', async () => {
  const { host, restore } = await changedSite()
  await run(host, restore(BOTH))

  const [, result] = await undo(host)

  expect(result).toEqual({ domain: 'shop.example' })
  expect(host.disk.text(PAGE)).toBe('changed')
  expect(await undo(host)).toEqual([[], 'shop.example has no restore that can be undone'])
})

test('a second one keeps its own previous state alone', async () => {
  const { host, restore } = await changedSite()
  await run(host, restore(BOTH))
  host.disk.putText(PAGE, 'changed again')

  await run(host, restore(BOTH))

  expect(Object.keys(host.disk.all).filter((path) => path.includes('older'))).toEqual([])
  await undo(host)
  expect(host.disk.text(PAGE)).toBe('changed again')
})

test('a second one that fails at its end can be followed by the undo of the first', async () => {
  const { host, restore } = await changedSite()
  await run(host, restore(BOTH))
  host.disk.guard = (action) => {
    if (action === 'rename /srv/www/.restore/shop/replaced /srv/www/.restore/shop/previous')
      throw new Error('The disk has failed')
  }

  expect((await run(host, restore(BOTH)))[1]).toBe('The disk has failed')
  host.disk.guard = () => undefined

  await undo(host)
  expect(host.disk.text(PAGE)).toBe('changed')
})

test('refuses a dump that is not the one that was saved, and changes nothing', async () => {
  const { host, restore } = await changedSite()
  host.answer('sha256sum', `${'0'.repeat(64)}  database.sql\n`)
  const before = host.disk.text(PAGE)

  const [, reason] = await run(host, restore(BOTH))

  expect(reason).toBe('The database of the backup is not the one that was saved')
  expect([host.disk.text(PAGE), host.disk.find('/srv/www/.restore/shop/fetched')]).toEqual([
    before,
    undefined,
  ])
})

test('refuses a restore for which the disk has no space', async () => {
  const { host, restore } = await changedSite()
  host.disk.space = async () => ({ free: 1000, total: 10_000 })

  const [, reason] = await run(host, restore(BOTH))

  expect(reason).toBe('/srv/www has 1.0 kB free, and the restore needs 268 MB')
})

test('of a backup that the keeper has forgotten says so, and changes nothing', async () => {
  const { host, restore } = await changedSite()
  const params = restore(BOTH)
  host.disk.drop(`/mnt/store/shop/snapshots/${params.backup}`)

  const [, reason] = await run(host, params)

  expect(reason).toBe('The backup is not in the repository any more: choose a later one')
  expect(host.disk.text(PAGE)).toBe('changed')
})

test('a backup of the time of another primary domain gets the present addresses', async () => {
  const { host, restore } = await savedSite({ [PAGE]: 'as saved' })
  host.pages.set(`http://${NEW}/`, '')
  expect((await rename(host))[1]).toMatchObject({ domain: NEW })
  host.runs.length = 0

  const [lines, result] = await run(host, { ...restore(BOTH), domain: NEW })

  expect(result).toMatchObject({ domain: NEW })
  expect(lines).toContain(`Changed 0 addresses of ${OLD}, the former primary domain`)
  expect(lines).toContain('Changing the addresses in configuration files')
  expect(host.disk.text(PAGE)).toBe('as saved')
  const rewritten = host.runs.filter(({ line }) => line.endsWith(' rewrite'))
  expect(rewritten[0]?.options.input).toContain(
    JSON.stringify({ from: `https://${OLD}`, to: `http://${NEW}` }),
  )
})

const PUBLIC = '/srv/www/shop/public'
const SAVED = {
  [`${PUBLIC}/page.html`]: 'as saved',
  [`${PUBLIC}/a/b/file`]: 'as saved',
  [`${PUBLIC}/odd[1]*/file`]: 'as saved',
}
const PATHS = ['a/b/file', 'odd[1]*']
const FILES: BackupParts = { files: true, database: false, paths: PATHS }
const TABLES: BackupParts = { files: false, database: true, tables: ['x'] }

/** A site that lost a folder, and got a file in another one, after its backup. */
async function damagedSite() {
  const { host, restore } = await savedSite(SAVED)
  host.disk.drop(`${PUBLIC}/a`)
  host.disk.putText(`${PUBLIC}/odd[1]*/file`, 'changed')
  host.disk.putText(`${PUBLIC}/odd[1]*/new`, 'new')
  host.disk.putText(`${PUBLIC}/page.html`, 'changed')
  return { host, restore }
}

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
  const { host, restore } = await damagedSite()
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
  const { host, restore } = await damagedSite()
  await run(host, restore(FILES))
  host.disk.putText(`${PUBLIC}/page.html`, 'later')

  await undo(host)

  expect(texts(host)).toEqual({ ...CHANGED, 'page.html': 'later' })
})

test('does not know a path that the backup does not have, and changes nothing', async () => {
  const { host, restore } = await damagedSite()

  const [lines, reason] = await run(host, restore({ ...FILES, paths: ['page.html', 'b/c'] }))

  expect(reason).toBe('The backup does not have b/c')
  expect(lines).not.toContain('Stopping PHP')
  expect([texts(host), host.disk.find('/srv/www/.restore/shop/fetched')]).toEqual([
    CHANGED,
    undefined,
  ])
})

test('refuses a path below a link of the site, and moves the site back', async () => {
  const { host, restore } = await damagedSite()
  await host.disk.link('/etc', `${PUBLIC}/a`)

  const [, reason] = await run(host, restore(FILES))

  expect(reason).toBe('a is not a folder on the site now: rename it, then try again')
  expect(texts(host)).toEqual(CHANGED)
})

test('says what is missing when the previous state has no place any more', async () => {
  const { host, restore } = await damagedSite()
  await run(host, restore({ ...FILES, paths: ['odd[1]*/file'] }))
  host.disk.drop(`${PUBLIC}/odd[1]*`)

  const [, reason] = await undo(host)

  expect(reason).toBe('The site has no folder odd[1]*: create it, then try again')
  expect(texts(host)).toEqual({ 'page.html': 'changed' })
})

test('imports chosen tables alone, and does not drop the database', async () => {
  const { host, restore } = await damagedSite()

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
  const { host, restore } = await damagedSite()

  const [lines, reason] = await run(host, restore({ ...TABLES, tables: ['x', 'y`'] }))

  expect(reason).toBe('The backup does not have the table y`')
  expect(lines).not.toContain('Stopping PHP')
})

test('refuses tables of a site that has lost its database', async () => {
  const { host, restore } = await damagedSite()
  host.databases.delete('shop')

  const [, reason] = await run(host, restore(TABLES))

  expect(reason).toBe('shop.example has no database now: restore the whole database')
})
