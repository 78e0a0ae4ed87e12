import { expect, test } from 'bun:test'
import { serverProvision } from '#agent/features/servers/server.provision.ts'
import { poolApply } from '#agent/features/sites/pool.apply.ts'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { sitePurge } from '#agent/features/sites/site.purge.ts'
import { siteUpdate } from '#agent/features/sites/site.update.ts'
import { missingPackages } from '#agent/kernel/packages/packages.ts'
import { quotaMount } from '#agent/kernel/users/quota.ts'
import { contextOf, installed, outcome, server, shop } from '#tests/support/agent/debian.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const ROOT = '21 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro'
const WWW = '31 21 254:16 / /srv/www rw,relatime shared:7 - ext4 /dev/vdb rw,quota,usrquota'
const SMALL = 'setquota --user shop 9765628 9765628 250000 250000 /srv/www'
const MEDIUM = 'setquota --user shop 24414064 24414064 500000 500000 /srv/www'
const NONE = 'setquota --user shop 0 0 0 0 /srv/www'
const only = { domain: 'shop.example' }
const purge = { ...only, confirm: 'shop.example', trashed_days: 0 }

const mounts = (host: FakeHost, ...lines: string[]) =>
  host.disk.write('/proc/1/mountinfo', `${lines.join('\n')}\n`)

/** A server with user quotas on, and the site shop. */
async function withQuotas(): Promise<FakeHost> {
  const host = await server(shop)
  await mounts(host, ROOT, WWW)
  const status = (await host.disk.read('/var/lib/dpkg/status')) ?? ''
  await host.disk.write('/var/lib/dpkg/status', `${status}\n${installed(['quota'])}`)
  return host
}

const update = (host: FakeHost, change: { tier?: 'medium' } = { tier: 'medium' }) =>
  outcome(siteUpdate.run({ ...only, ...change }, contextOf(host)))

const quotas = ({ ran }: FakeHost) => ran.filter((line) => line.startsWith('setquota'))

test.each([
  ['ext4 of its own', [ROOT, WWW], '/srv/www'],
  ['XFS at /srv', [ROOT, '31 21 8:1 / /srv rw - xfs /dev/vdb rw,attr2,usrquota'], '/srv'],
  ['the root file system', ['21 1 8:1 / / rw - ext4 /dev/vda1 rw,usrjquota=aquota.user'], '/'],
  ['the mount that covers an older one', [WWW, `${WWW} `.replace('vdb', 'vdc')], '/srv/www'],
  ['no quotas', [ROOT], undefined],
  ['quotas of another file system', [ROOT, WWW.replace('/srv/www', '/srv/www2')], undefined],
  [
    'quotas of the file system below',
    [WWW.replace('/srv/www', '/'), `${WWW}`.replace(/ rw,q.*/, ' rw')],
    undefined,
  ],
  ['project quotas alone', [ROOT, WWW.replace('usrquota', 'prjquota')], undefined],
  ['XFS that only counts', [ROOT, '31 21 8:1 / /srv rw - xfs /dev/vdb rw,uqnoenforce'], undefined],
  ['a container', ['1 0 0:50 / / rw - overlay overlay rw,usrquota'], undefined],
])('finds where user quotas are enforced: %s', async (_, lines, expected) => {
  const host = fakeHost()
  await mounts(host, ...lines)

  expect(await quotaMount(host)).toBe(expected)
})

test('does nothing and shows no step if quotas are off', async () => {
  const host = await server(shop)
  await mounts(host, ROOT)

  const plan = await siteUpdate.plan({ ...only, tier: 'medium' }, host)
  await update(host)

  expect(plan.map(({ name }) => name)).not.toContain('disk quota')
  expect([quotas(host), await missingPackages(host, ['8.2'])]).toEqual([[], []])
})

test('requires the package quota if quotas are on', async () => {
  const host = await server()
  await mounts(host, ROOT, WWW)

  expect(await missingPackages(host, ['8.2'])).toEqual(['quota'])
})

const store = { ...shop, domain: 'store.example', user: 'store' }

test('limits a new site before anything is written as its user', async () => {
  const host = await withQuotas()
  host.pages.set('http://store.example/', '<a href="http://store.example/">')
  const planned = (await siteCreate.plan(store, host)).slice(0, 2)
  const effects = planned.map((step) =>
    typeof step.effects === 'function' ? step.effects() : step.effects,
  )

  await outcome(siteCreate.run(store, contextOf(host)))

  expect(planned.map(({ name }) => name)).toEqual(['user', 'disk quota'])
  expect((await Promise.all(effects))[1]).toEqual([
    { action: 'change', kind: 'disk quota', name: 'store' },
  ])
  expect(quotas(host)).toEqual([SMALL.replace('shop', 'store')])
  const { options } = host.runs.find(({ line }) => line.startsWith('setquota')) ?? {}
  expect(options).toEqual({ unconfined: true })
})

test('removes the limit of the user when the creation fails', async () => {
  const host = await withQuotas()

  await outcome(siteCreate.run(store, contextOf(host)))

  const last = host.ran.filter((line) => /^(setquota|userdel)/.test(line)).slice(-2)
  expect(last).toEqual([NONE.replace('shop', 'store'), 'userdel -- store'])
})

test('a change of tier changes the limits', async () => {
  const host = await withQuotas()

  await update(host)
  const params = { user: 'shop', php_version: '8.2', tier: 'small' } as const
  await outcome(poolApply.run(params, contextOf(host)))

  expect(quotas(host)).toEqual([MEDIUM, SMALL])
})

test('a change that fails puts the previous limits back', async () => {
  const host = await withQuotas()
  host.fail('nginx -t', 'refused')

  await update(host)

  expect(quotas(host)).toEqual([MEDIUM, SMALL])
})

test('a purge removes the limit, and the trash keeps it', async () => {
  const host = await withQuotas()

  await outcome(siteDelete.run(only, contextOf(host)))
  expect(quotas(host)).toEqual([])
  const planned = (await sitePurge.plan(purge, host)).find(({ name }) => name === 'user')
  expect(typeof planned?.effects === 'function' && (await planned.effects())).toEqual([
    { action: 'remove', kind: 'disk quota', name: 'shop' },
    { action: 'remove', kind: 'user', name: 'shop' },
    { action: 'remove', kind: 'group', name: 'shop' },
    { action: 'remove', kind: 'folder', name: '/var/lib/hosting-etc/accounts/shop' },
  ])

  await outcome(sitePurge.run(purge, contextOf(host)))

  expect(quotas(host)).toEqual([NONE])
})

test('provisioning limits sites that existed before quotas were turned on', async () => {
  const host = await withQuotas()
  await outcome(siteDelete.run(only, contextOf(host)))

  const [lines] = await outcome(serverProvision.run({ php_versions: [] }, contextOf(host)))

  expect(lines).toEqual(['Setting the disk quotas of the sites', 'The server is ready for sites'])
  expect(quotas(host)).toEqual([SMALL])
})

test.each([
  [1, 'setquota: Cannot open quotafile', 'setquota: Cannot open quotafile'],
  [127, '', 'the package quota is not installed: provision this server'],
])('warns when setquota ends with %d, and keeps the site', async (code, stderr, reason) => {
  const host = await withQuotas()
  host.fail('setquota', stderr, code)

  const [lines, result] = await update(host)

  expect(lines).toContain(`Warning: shop has no disk quota: ${reason}`)
  expect(result).toMatchObject({ tier: 'medium' })
})

test('installs the package if quotas were turned on since, as planned', async () => {
  const host = await server(shop)
  await mounts(host, ROOT, WWW)
  const installs = () => host.ran.filter((line) => / install -y .* quota$/.test(line))

  const plan = await siteUpdate.plan(only, host)
  expect(plan[0]).toMatchObject({ name: 'quota package', title: 'Installing quota' })
  expect(installs()).toEqual([])
  await update(host, {})

  expect(installs()).toHaveLength(1)
})

test('changes a site even if the package cannot be installed, and warns', async () => {
  const host = await server(shop)
  await mounts(host, ROOT, WWW)
  host.fail('apt-get -o DPkg', 'no network', 100)

  const [lines, result] = await update(host, {})

  expect(result).toMatchObject(only)
  expect(lines).toContainEqual(expect.stringMatching(/^Warning: quota could not be installed: /))
})
