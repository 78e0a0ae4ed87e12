import { expect, test } from 'bun:test'
import { siteGather } from '#agent/commands/site.gather.ts'
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
