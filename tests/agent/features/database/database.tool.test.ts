import { expect, test } from 'bun:test'
import { databaseTool } from '#agent/features/database/database.tool.ts'
import { getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { nameOf, withAccounts } from '#tests/support/agent/temporary-users.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const ADMINER = '/usr/share/adminer/adminer.php'
const HASH = `*${'AB'.repeat(20)}`
const SIMULATION = 'apt-get -o Dir::Cache::pkgcache='
const params = {
  ...{ domain, token: 'a1b2c3d4e5', rights: 'read' as const, minutes: 10, account_hash: HASH },
}

async function prepared() {
  const all = await withAccounts()
  all.host.init = 'systemd'
  all.host.answer(SIMULATION, 'Inst adminer (1)\n')
  return all
}
const open = (host: FakeHost) => outcome(databaseTool.run(params, contextOf(host)))
const apt = ({ ran }: FakeHost) => ran.filter((line) => /^apt-get.* install /.test(line))

test('installs Adminer once, and then creates a user for its time', async () => {
  const { host, steps } = await prepared()

  const [lines, result] = await open(host)

  const user = nameOf(600)
  expect(lines).toContain('Installing Adminer')
  expect(lines.at(-1)).toBe(`Creating a temporary user of the database of ${domain}`)
  expect(apt(host).at(-1)).toEndWith('install -y -q --no-install-recommends adminer')
  expect(steps).toEqual([
    `create_temporary_account ${user} ${HASH} 5 60`,
    `grant_reading shop ${user}`,
  ])
  const ends_at = '2026-01-01T00:10:00.000Z'
  expect(result).toEqual({ domain, user, database: 'shop', ends_at })

  host.disk.putText(ADMINER, '<?php')
  expect(
    (await databaseTool.plan({ ...params, token: 'b'.repeat(10) }, host)).map(({ name }) => name),
  ).toEqual(['account'])
})

test('installs no web server with it, and creates no user then', async () => {
  const { host, steps } = await prepared()
  host.answer(SIMULATION, 'Inst adminer (1)\nInst apache2-bin (2)\n')

  const [, result] = await open(host)

  expect(result).toBe('Debian would install apache2-bin with Adminer: install it yourself')
  expect(apt(host).filter((line) => !line.includes('--simulate'))).toEqual([])
  expect(steps).toEqual([])
})

test('installs nothing where apt cannot tell what it would install, also with new lists', async () => {
  const { host, steps } = await prepared()
  host.fail(SIMULATION, 'E: broken', 100)

  const [lines, result] = await open(host)

  expect(result).toBe('apt cannot tell what it would install with Adminer')
  expect(lines).toContain('Reading the package lists')
  expect(apt(host).filter((line) => !line.includes('--simulate'))).toEqual([])
  expect(steps).toEqual([])
})

test('refuses a server that cannot isolate it, and a site that moves away', async () => {
  const direct = await withAccounts()
  direct.host.init = 'direct'
  const moving = await prepared()
  const site = await getSite(moving.host, domain)
  await writeSite(moving.host, { ...site, moving: { closed: true } })

  const refusals = [direct, moving].map(async ({ host }) => (await open(host))[1])

  expect(await Promise.all(refusals)).toEqual([
    'Adminer needs systemd, which isolates it from the sites of this server',
    'shop.example moves to another server: its database is there',
  ])
  expect([direct.steps, moving.steps]).toEqual([[], []])
})
