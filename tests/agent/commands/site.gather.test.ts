import { expect, test } from 'bun:test'
import { siteCatchUp } from '#agent/commands/site.catch-up.ts'
import { siteGather } from '#agent/commands/site.gather.ts'
import type { ResultOf } from '#shared/commands.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { receivingServer } from '#tests/support/agent/moving.ts'

const { domain } = shop

async function leavingServer() {
  const { host, restore } = await savedSite({ '/srv/www/shop/public/page.html': 'as saved' })
  const { target, repository, password } = restore({ files: true, database: true })
  host.runs.length = 0
  return { host, params: { domain, from: { target, repository, password } } }
}

test('saves files and database without a manifest, and nothing of the site changes', async () => {
  const { host, params } = await leavingServer()
  const before = host.disk.text('/srv/www/shop/public/page.html')

  const [lines, result] = await outcome(siteGather.run(params, contextOf(host)))

  expect(lines).toEqual([
    'Connecting to the target',
    'Saving what has changed',
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

test('saves no table that the copy has, and the copy then loads none', async () => {
  const { host, params } = await leavingServer()
  const copy = await receivingServer()
  const [, caught] = await outcome(siteCatchUp.run(copy.catchUp, contextOf(copy.host)))
  const { has: known } = caught as ResultOf<'site.catch-up'>

  const [, saved] = await outcome(siteGather.run({ ...params, known }, contextOf(host)))

  const { gathered } = saved as ResultOf<'site.gather'>
  expect(gathered).toMatchObject({ database: null, tables: known })
  expect(known).toHaveLength(1)
  expect(host.runs.filter(({ line }) => line.includes('--tag database'))).toEqual([])
})

test('saves the tables that differ from those of the copy', async () => {
  const { host, params } = await leavingServer()
  const known = [{ table: 'wp_posts', rows: 0, sha256: 'a'.repeat(64) }]

  const [, saved] = await outcome(siteGather.run({ ...params, known }, contextOf(host)))

  const { gathered } = saved as ResultOf<'site.gather'>
  expect(gathered.tables).not.toEqual(known)
  expect(gathered.database).not.toBeNull()
})

test('ends with the failure of one half, after the end of the other', async () => {
  const { host, params } = await leavingServer()
  const restic = '/var/lib/hosting-agent/bin/restic --retry-lock=10m'
  host.fail(`${restic} backup --json --host hosting --tag files`, 'broken disk')

  const [, reason] = await outcome(siteGather.run(params, contextOf(host)))

  expect(reason).toContain('broken disk')
  expect(host.runs.some(({ line }) => line.includes('--tag database'))).toBe(true)
  expect(host.disk.find('/var/lib/hosting-agent/backups/shop/open')).toBeUndefined()
})

test('refuses a copy that is not open yet', async () => {
  const { host, catchUp } = await receivingServer()

  const [, reason] = await outcome(siteGather.run({ domain, from: catchUp.from }, contextOf(host)))

  expect(reason).toBe('shop.example is a copy that another server brings up to date')
})
