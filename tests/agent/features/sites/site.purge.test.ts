import { describe, expect, test } from 'bun:test'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { sitePurge } from '#agent/features/sites/site.purge.ts'
import { siteRestore } from '#agent/features/sites/site.restore.ts'
import { listTrash } from '#agent/features/sites/trash/trash.ts'
import { moveSite } from '#agent/kernel/site/sites.ts'
import { sitePurge as contract } from '#shared/sites/site.purge.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const only = { domain: 'shop.example' }
const params = { ...only, confirm: 'shop.example', trashed_days: 0 }
const purge = (host: FakeHost) => outcome(sitePurge.run(params, contextOf(host)))
const DAY_MS = 24 * 3600_000

async function trashed(): Promise<FakeHost> {
  const host = await server(shop)
  host.disk.putText('/var/lib/hosting-agent/baselines/shop.example.json', '{}')
  await outcome(siteDelete.run(only, contextOf(host)))
  host.runs.length = 0
  host.queries.length = 0
  return host
}

const ofShop = (host: FakeHost) =>
  Object.keys(host.disk.all).filter((path) => path.includes('shop'))

test('removes every part of a site in the trash', async () => {
  const host = await trashed()

  const [lines, result] = await purge(host)

  expect(result).toEqual(only)
  expect(lines).toEqual([
    'Deleting shop.example permanently',
    'Taking the record out of the trash',
    'Dropping the database',
    'Removing the files and the dump',
    'Removing the system user shop',
    'Removing the certificate',
    'Removing the record',
  ])
  expect(host.ran).toEqual([
    'rm -rf --one-file-system -- /srv/www/.trash/shop',
    'systemctl stop hosting-shop.slice',
    'start-stop-daemon --stop --oknodo --quiet --retry=KILL/5 --user shop',
    'gpasswd --delete www-data shop',
    'userdel -- shop',
  ])
  expect(ofShop(host)).toEqual([])
})

test('continues after an interruption or failure, and never leaves a half-restored site', async () => {
  await eachFault(trashed, purge, async (host, _, [, message], fault) => {
    const [site] = await listTrash(host)
    if (site && !site.restorable) {
      expect([fault, message]).toEqual([
        fault,
        'shop.example is not deleted completely: injected fault',
      ])
      expect((await outcome(siteRestore.run(only, contextOf(host))))[1]).toBe(
        'The permanent deletion of shop.example has started: it cannot be restored',
      )
    }

    if (site) expect([fault, (await purge(host))[1]]).toEqual([fault, only])
    expect([fault, ofShop(host)]).toEqual([fault, []])
  })
})

test('does not change a site that is not in the trash', async () => {
  expect((await purge(await server(shop)))[1]).toBe('Site shop.example is not in the trash')
  expect((await purge(await server()))[1]).toBe('Site shop.example in the trash not found')
})

describe('a purge by age', () => {
  const byAge = { ...params, trashed_days: 14 }
  const remedy = 'restore it, or delete it permanently on the page Trash'
  const resultOn = async (host: FakeHost) =>
    (await outcome(sitePurge.run(byAge, contextOf(host))))[1]

  test('is refused until the site was in the trash for as many days as the call names', async () => {
    const host = await trashed()
    const kept = ofShop(host)

    host.set = 13 * DAY_MS
    const answer = await resultOn(host)

    expect(answer).toBe(`shop.example has been in the trash for 13 days, not 14: ${remedy}`)
    await expect(async () => sitePurge.plan(byAge, host)).toThrow(String(answer))
    expect(ofShop(host)).toEqual(kept)
    host.set = 14 * DAY_MS
    expect(await resultOn(host)).toEqual(only)
  })

  test('is refused while the time of the deletion is not known', async () => {
    const host = await trashed()
    const unknown = `It is not known for how long shop.example has been in the trash: ${remedy}`

    host.set = -2 * DAY_MS
    expect(await resultOn(host)).toBe(unknown)
    host.set = 20 * DAY_MS
    host.disk.putText('/srv/www/.trash/shop/facts.json', '{')
    expect(await resultOn(host)).toBe(unknown)
    expect((await purge(host))[1]).toEqual(only)
  })

  test('ends what a purge has begun', async () => {
    const host = await trashed()
    await moveSite(host, 'shop.example', 'trash', 'purging').apply()

    expect(await resultOn(host)).toEqual(only)
  })
})

test.each([
  [{ domain: 'shop.example' }, 'Domain is required'],
  [{ domain: 'shop.example', confirm: 'www.shop.example' }, 'Must be the domain of the site'],
  [{ domain: 'shop.example', confirm: '' }, 'Must be a domain name such as example.com'],
])('requires the domain again: %j', (given, message) => {
  const { error } = contract.params.safeParse({ ...given, trashed_days: 0 })

  expect(error?.issues).toMatchObject([{ path: ['confirm'], message }])
})
