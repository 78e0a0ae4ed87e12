import { expect, test } from 'bun:test'
import { siteClone } from '#agent/commands/site.clone.ts'
import {
  backupServer,
  copy,
  fromSite,
  REPORT,
  run,
  siteServer,
} from '#tests/support/agent/cloning.ts'

const START = ['Creating the system user copy', 'Creating the folders']
const END = [
  'Changing the configuration of the copy',
  'Starting PHP 8.2',
  'Adding the virtual host',
  'Scheduling the jobs of WordPress',
  'Checking the front page',
  'Recording the site',
]

test('copies the database and then the files of a site, before anything is public', async () => {
  const host = await siteServer()

  const [lines, result] = await run(host, fromSite)

  expect(lines).toEqual([
    ...START,
    'Creating the database',
    'Pausing the jobs of shop.example',
    'Copying the database of shop.example',
    'Copied 1 tables: 33 B, 7 addresses changed',
    'Copying the files of shop.example',
    'Copied 8192 files: 21 B',
    'Resuming the jobs of shop.example',
    ...END,
  ])
  expect(result).toEqual({
    domain: 'copy.example',
    at: '2026-01-01T00:00:00.000Z',
    files: 8192,
    bytes: 54,
    tables: 1,
    addresses: REPORT,
  })
  expect(host.disk.find('/srv/www/copy/public/index.php')).toBeDefined()
  const finished = await siteClone.finished?.(fromSite, host)
  expect(finished as unknown).toEqual(result)
})

test('dumps with the rights of the original, and rewrites and imports with those of the copy', async () => {
  const host = await siteServer()

  await run(host, fromSite)

  const programs = host.runs.filter(({ line }) =>
    /^(xargs|mariadb .*binary|\S*agent|tar)/.test(line),
  )
  const rights = programs.map(({ line, options }) => [line.split(' ')[0], options.site?.user])
  expect(rights).toEqual([
    ['xargs', 'shop'],
    ['/usr/local/bin/hosting-agent', 'copy'],
    ['mariadb', 'copy'],
    ['tar', 'root'],
    ['tar', 'copy'],
  ])
  const reader = programs[3]?.options.site?.directives ?? []
  expect(reader).toContain('CapabilityBoundingSet=CAP_DAC_READ_SEARCH')
  expect(reader).toContain('TemporaryFileSystem=/:ro,noexec /tmp:mode=1777,size=1G,noexec')
})

test('restores files and database of a backup, and forgets its repository', async () => {
  const { host, params } = await backupServer()

  const [lines, result] = await run(host, params)

  expect(lines).toEqual([
    ...START,
    'Connecting to the target',
    'Fetching the backup',
    'Fetching the database: 33 B',
    'Fetching 1 files: 1.0 kB',
    'Disconnecting from the target',
    'Creating the database',
    'Importing the database',
    '7 addresses changed',
    'Moving the files to the site',
    ...END,
    'Removing the fetched data',
  ])
  expect(result).toMatchObject({ files: 1, bytes: 1033, tables: 1, addresses: REPORT })
  expect(host.disk.text('/srv/www/copy/public/page.html')).toBe('as saved')
  const left = Object.keys(host.disk.all).filter((path) =>
    /(backups|\.restore|restic)\/copy\//.test(path),
  )
  expect(left).toEqual(['/srv/www/.restore/copy/clone.json'])
})

test('a dump that fails undoes the copy, and is named as the reason', async () => {
  const host = await siteServer()
  host.fail('xargs', 'mariadb-dump: Got error: 1194: "Table is crashed"', 2)

  const [lines, reason] = await run(host, fromSite)

  expect(reason).toBe('The database could not be dumped (error 1194 of MariaDB)')
  expect(lines.at(-1)).toBe('Undoing: Creating the system user copy')
  expect(lines).toContain('Undoing: Pausing the jobs of shop.example')
})

test.each([
  [
    '/usr/local/bin/hosting-agent',
    'hosting-agent: secret of a customer',
    'The addresses in the database could not be rewritten: exit status 2',
  ],
  [
    'tar --create',
    'tar: public: Input/output error',
    'The files of the site could not be read: tar: public: Input/output error',
  ],
  [
    'tar --extract',
    'tar: Disk quota exceeded',
    'The files could not be written: tar: Disk quota exceeded',
  ],
  [
    '/usr/bin/php8.2',
    'Error: wp-config.php does not define DB_NAME',
    'The copy could not be configured: Error: wp-config.php does not define DB_NAME',
  ],
])('says why %s failed', async (program, message, expected) => {
  const host = await siteServer()
  host.fail(program, message, 2)

  expect((await run(host, fromSite))[1]).toBe(expected)
})

test('files that change while they are read are no failure', async () => {
  const host = await siteServer()
  host.fail('tar --create', 'tar: ./a: file changed as we read it', 1)

  expect((await run(host, fromSite))[1]).toMatchObject({ domain: 'copy.example' })
})

test('the answer of the front page is that of the content, and only reported', async () => {
  const host = await siteServer()
  host.pages.delete('http://copy.example/')

  const [lines, result] = await run(host, fromSite)

  expect(result).toMatchObject({ domain: 'copy.example' })
  expect(
    lines.find((line) => line.startsWith('Warning: copy.example does not answer')),
  ).toBeString()
})

test('refuses an original that is not there, and a full disk', async () => {
  const host = await siteServer()
  const from = { kind: 'site' as const, domain: 'other.example' }
  expect(await run(host, { ...copy, from })).toEqual([[], 'Site other.example not found'])
  host.disk.space = async () => ({ free: 2 ** 29, total: 2 ** 40 })
  host.answer('du --summarize --total ', `${2 ** 30}\ttotal\n`)
  const reason = '/srv/www has 537 MB free, and the copy needs 1.3 GB'
  expect(await run(host, fromSite)).toEqual([[], reason])
})

test('plans the steps that it runs', async () => {
  const host = await siteServer()
  const planned = (await siteClone.plan(fromSite, host)).map(({ title }) => title)
  const [lines] = await run(host, fromSite)
  expect(lines.filter((line) => !line.startsWith('Copied '))).toEqual(planned)
})

test('passes the new password to MariaDB and to the configuration alone', async () => {
  const host = await siteServer()

  const [lines] = await run(host, fromSite)

  const created = host.queries.find((query) => query.startsWith('CREATE USER'))
  const password = created?.split(' | ').find((value) => value.length === 32) ?? ''
  const codes = host.runs.flatMap(({ line, options }) =>
    line.includes('--skip-wordpress') ? (options.input ?? '') : [],
  )
  const orders = codes.map((code) => atob(/base64_decode\('([^']+)'/.exec(code)?.[1] ?? ''))
  expect(orders).toHaveLength(1)
  expect(JSON.parse(orders[0] ?? '').replaced.DB_PASSWORD).toBe(password)
  const elsewhere = host.runs.map(({ line, options }) => [line, { ...options, input: undefined }])
  expect(JSON.stringify([lines, elsewhere, host.disk.all])).not.toContain(password)
})
