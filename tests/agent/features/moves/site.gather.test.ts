import { describe, expect, test } from 'bun:test'
import { backupCreate } from '#agent/features/backups/backup.create.ts'
import { siteCatchUp } from '#agent/features/moves/site.catch-up.ts'
import { siteGather } from '#agent/features/moves/site.gather.ts'
import type { ParamsOf, ResultOf } from '#shared/commands.ts'
import { SAVING, savedSite } from '#tests/support/agent/backup.ts'
import { contextOf, listOfTables, outcome, shop } from '#tests/support/agent/debian.ts'
import { receivingServer } from '#tests/support/agent/moving.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop

async function leavingServer() {
  const { host, restore } = await savedSite({ '/srv/www/shop/public/page.html': 'as saved' })
  const { target, repository, password_id, password } = restore({ files: true, database: true })
  host.runs.length = 0
  return { host, params: { domain, from: { target, repository, password_id, password } } }
}

const gather = (host: FakeHost, params: ParamsOf<'site.gather'>) =>
  outcome(siteGather.run(params, contextOf(host)))
const gatheredBy = async (host: FakeHost, params: ParamsOf<'site.gather'>) =>
  ((await gather(host, params))[1] as ResultOf<'site.gather'>).gathered

test('saves files and database without a manifest, and nothing of the site changes', async () => {
  const { host, params } = await leavingServer()
  const before = host.disk.text('/srv/www/shop/public/page.html')

  const [lines, result] = await gather(host, params)

  expect(lines).toEqual([
    'Connecting to the target',
    'Saving the changes',
    'Disconnecting from the target',
  ])
  expect(result).toMatchObject({
    domain,
    gathered: { files: { count: 1 }, database: { bytes: 33 } },
  })
  const tags = host.runs.flatMap(({ line }) => / --tag (\w+)/.exec(line)?.[1] ?? [])
  expect(tags.sort()).toEqual(['database', 'files'])
  expect(host.disk.text('/srv/www/shop/public/page.html')).toBe(before)
  expect(host.disk.find('/var/lib/hosting-agent/backups/shop/open')).toBeUndefined()
})

test('opens the repository in another folder than a backup, which can run at the same time', async () => {
  const { host, params } = await leavingServer()
  const opened = () => new Set(JSON.stringify(host.runs).match(/backups\/shop\/(open|saving)\b/g))

  await gather(host, params)
  const byGather = opened()
  host.runs.length = 0
  await outcome(backupCreate.run(SAVING, contextOf(host)))

  expect([...byGather, ...opened()]).toEqual(['backups/shop/open', 'backups/shop/saving'])
})

test('saves no table that the copy has, and the copy then loads none', async () => {
  const { host, params } = await leavingServer()
  const copy = await receivingServer()
  const [, caught] = await outcome(siteCatchUp.run(copy.catchUp, contextOf(copy.host)))
  const { has: known } = caught as ResultOf<'site.catch-up'>

  const gathered = await gatheredBy(host, { ...params, known })

  expect(gathered).toMatchObject({ database: null, tables: known })
  expect(known).toHaveLength(1)
  expect(host.runs.filter(({ line }) => line.includes('--tag database'))).toEqual([])
})

test('saves the tables that differ from those of the copy', async () => {
  const { host, params } = await leavingServer()
  const known = [{ table: 'wp_posts', rows: 0, sha256: 'a'.repeat(64) }]

  const gathered = await gatheredBy(host, { ...params, known })

  expect(gathered.tables).not.toEqual(known)
  expect(gathered.database).not.toBeNull()
})

describe('tables that were written recently', () => {
  const hex = (name: string) => Buffer.from(name).toString('hex')
  const recently = (host: FakeHost, name: string, bytes = 16_384) =>
    host.answer('mariadb --no-defaults', `${listOfTables('w', 'x')}${hex(name)}\t${bytes}\n`)
  const known = [{ table: 'x', rows: 0, sha256: 'a'.repeat(64) }]
  const dumped = (host: FakeHost) =>
    host.runs
      .flatMap(({ line, options }) => (line.includes('mariadb-dump') ? [options.input] : []))
      .sort()

  test('are saved while all tables are compared, and are the complete difference', async () => {
    const { host, params } = await leavingServer()
    recently(host, 'x')

    const gathered = await gatheredBy(host, { ...params, known })

    expect(gathered.tables).toHaveLength(1)
    expect(gathered.database?.bytes).toBeGreaterThan(0)
    expect(dumped(host)).toEqual(['w\0x\0', 'x\0'])
  })

  test('are saved with the others if more tables differ', async () => {
    const { host, params } = await leavingServer()
    recently(host, 'w')

    const { tables } = await gatheredBy(host, { ...params, known })

    expect(tables).toHaveLength(1)
    expect(dumped(host)).toEqual(['w\0', 'w\0x\0', 'x\0'])
  })

  test('are saved early only up to 8 MB', async () => {
    const { host, params } = await leavingServer()
    recently(host, 'x', 8 * 2 ** 20 + 1)

    await gather(host, { ...params, known })

    expect(dumped(host)).toEqual(['w\0x\0', 'x\0'])
    const one = await leavingServer()
    const both = `${listOfTables('w', 'x')}${hex('x')}\t4194300\n${hex('w')}\t5000000\n`
    one.host.answer('mariadb --no-defaults', both)
    await gather(one.host, { ...one.params, known })
    expect(dumped(one.host)).toEqual(['w\0x\0', 'x\0'])
  })

  test('that MariaDB cannot name are saved with the others, and a list without an end fails', async () => {
    const { host, params } = await leavingServer()
    const list = listOfTables('w', 'x')
    const late = 'ERROR 1969 (70100): Query execution was interrupted'
    host.fail('mariadb --no-defaults', late, 1, `${list}${hex('x')}`)

    const [, saved] = await gather(host, { ...params, known })
    host.fail('mariadb --no-defaults', late, 1, list.replace('end\n', ''))
    const [, cut] = await gather(host, { ...params, known })

    expect((saved as ResultOf<'site.gather'>).gathered.tables).toHaveLength(1)
    expect(cut).toContain('error 1969 of MariaDB')
    expect(dumped(host)).toEqual(['w\0x\0', 'x\0'])
  })

  test('that cannot be saved early are saved later, which says why', async () => {
    const { host, params } = await leavingServer()
    recently(host, 'x')
    const restic = '/var/lib/hosting-agent/bin/restic --retry-lock=480s'
    host.fail(`${restic} backup --json --host hosting --tag database`, 'no space')

    const [, saved] = await gather(host, { ...params, known })

    expect(saved).toContain('no space')
    expect(dumped(host)).toEqual(['w\0x\0', 'x\0', 'x\0'])
  })
})

test('says that no file differs from those of the copy, until one does', async () => {
  const { host, params } = await leavingServer()
  const filesOf = async (files?: string) =>
    (await gatheredBy(host, { ...params, ...(files && { files }) })).files
  const first = await filesOf()

  const second = await filesOf(first.snapshot)
  host.disk.putText('/srv/www/shop/public/page.html', 'changed')
  const third = await filesOf(first.snapshot)

  expect(first).not.toHaveProperty('same_as')
  expect(second).toMatchObject({ same_as: first.snapshot })
  expect(third).not.toHaveProperty('same_as')
})

test('ends with the failure of one half, after the end of the other', async () => {
  const { host, params } = await leavingServer()
  const restic = '/var/lib/hosting-agent/bin/restic --retry-lock=600s'
  host.fail(`${restic} backup --json --host hosting --tag files`, 'broken disk')

  const [, reason] = await gather(host, params)

  expect(reason).toContain('broken disk')
  expect(host.runs.some(({ line }) => line.includes('--tag database'))).toBe(true)
  expect(host.disk.find('/var/lib/hosting-agent/backups/shop/open')).toBeUndefined()
})

test('refuses a copy that is not open yet', async () => {
  const { host, catchUp } = await receivingServer()

  const [, reason] = await gather(host, { domain, from: catchUp.from })

  expect(reason).toBe('shop.example is a copy that another server updates')
})
