import { expect, test } from 'bun:test'
import { connectionSteps, neededConnections } from '#agent/kernel/database/connections.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const FOLDER = '/etc/mysql/mariadb.conf.d'
const FILE = `${FOLDER}/10-hosting.cnf`
const large = { ...shop, domain: 'large.example', user: 'large', tier: 'large' as const }

async function withSites(count: number): Promise<FakeHost> {
  const host = await server()
  await host.disk.mkdir(FOLDER)
  for (let at = 0; at < count; at++) {
    await writeSite(host, { ...shop, domain: `s${at}.example`, user: `s${at}` })
  }
  return host
}

const allowed = async (host: FakeHost) =>
  Number((await host.database.admin('read_connections'))[0]?.count)

test('requires the limits of all sites and a reserve, each site once, and never more than 4,000', async () => {
  const host = await withSites(10)

  expect(await neededConnections(host)).toBe(10 * 15 + 60)
  expect(await neededConnections(host, { ...shop, user: 's3' })).toBe(10 * 15 + 60)
  expect(await neededConnections(host, shop)).toBe(11 * 15 + 60)
  const crowd = await withSites(300)
  expect(await neededConnections(crowd)).toBe(4000)
})

test('raises them immediately and for the next start, named in the plan', async () => {
  const host = await withSites(10)

  const [step, ...none] = await connectionSteps(host, large)

  expect(none).toEqual([])
  expect(step?.effects).toEqual([
    { action: 'create', kind: 'file', name: FILE },
    { action: 'change', kind: 'setting', name: 'max_connections of MariaDB' },
  ])
  await step?.apply()
  const needed = await neededConnections(host, large)
  expect(needed).toBeGreaterThan(10 * 15 + 60)
  expect(await allowed(host)).toBe(needed)
  expect(host.disk.all[FILE]).toContain(`\n[mariadbd]\nmax_connections = ${needed}\n`)
  expect(await connectionSteps(host, large)).toEqual([])
})

test('keeps a limit that is high enough', async () => {
  const few = await withSites(3)
  expect(await connectionSteps(few, shop)).toEqual([])

  const many = await withSites(20)
  await many.database.admin('set_connections', [9000])
  expect(await connectionSteps(many, shop)).toEqual([])
  expect(many.disk.all[FILE]).toBeUndefined()
})

test('raises them only for the running server if the configuration folder is missing', async () => {
  const host = await withSites(10)
  await host.disk.remove(FOLDER)

  const [step] = await connectionSteps(host, shop)
  await step?.apply()

  expect(await allowed(host)).toBe(11 * 15 + 60)
  expect(host.disk.all[FILE]).toBeUndefined()
})

test('does not overwrite a foreign file', async () => {
  const host = await withSites(10)
  await host.disk.write(FILE, '[mariadbd]\nmax_connections = 500\n')

  const [step] = await connectionSteps(host, shop)

  await expect(Promise.resolve(step?.apply())).rejects.toThrow(FILE)
})
