import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { dns_accounts } from '#dashboard/kernel/db/dns-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { addressesOf } from '#dashboard/kernel/targets/addresses.ts'
import { token, useCloudflare } from '#tests/support/dashboard/dns.ts'
import { bulkEnded, lostServer, setServer } from '#tests/support/dashboard/lost.ts'

const cloudflare = useCloudflare()
const LOST = '192.0.2.1'

/** The site a.example on the lost server, whose records lead there; those of its www lead elsewhere. */
async function withRecords() {
  const all = await lostServer()
  const { dashboard, first, shop, second } = all
  await setServer(dashboard, first, { hostname: LOST })
  const values = { domain: 'a.example', apex: 'a.example' }
  await dashboard.db.write((queries) => queries.update(sites).set(values).where(eq(sites.id, shop)))
  const { api } = cloudflare
  await dashboard.call('POST', '/api/dns-accounts', { name: 'Cloudflare', token, api })
  const [account] = await dashboard.db.read.select().from(dns_accounts)
  const zone = account?.zones.find(({ name }) => name === 'a.example')?.id ?? ''
  const record = { zone, proxied: false, ttl: 1 }
  cloudflare.records.push(
    { ...record, id: '1'.repeat(32), type: 'A', name: 'a.example', content: LOST },
    { ...record, id: '2'.repeat(32), type: 'CNAME', name: 'www.a.example', content: 'cdn.example' },
  )
  const recover = async (dns: boolean) => {
    const { body } = await all.recover({ sites: [{ site_id: shop, server_id: second }], dns })
    return bulkEnded(dashboard, body.bulk_operation.id)
  }
  return { ...all, recover, [Symbol.asyncDispose]: all[Symbol.asyncDispose] }
}

const contents = () =>
  cloudflare
    .left()
    .map(([type, name, content]) => `${name} ${type} ${content}`)
    .sort()

test('records that lead to the lost server lead to the new one, and others stay', async () => {
  await using all = await withRecords()
  const own = (await addressesOf('localhost')).map(
    (address) => `a.example ${address.includes(':') ? 'AAAA' : 'A'} ${address}`,
  )

  const { counts } = await all.recover(true)

  expect([counts.success, contents()]).toEqual([
    1,
    [...own, 'www.a.example CNAME cdn.example'].sort(),
  ])
})

test('no record changes if that is not wanted', async () => {
  await using all = await withRecords()

  const { counts } = await all.recover(false)

  expect([counts.success, contents()]).toEqual([
    1,
    [`a.example A ${LOST}`, 'www.a.example CNAME cdn.example'],
  ])
})
