import { expect, test } from 'bun:test'
import { backupCreate } from '#agent/features/backups/backup.create.ts'
import { backupProve } from '#agent/features/backups/backup.prove.ts'
import { backupRestore } from '#agent/features/backups/backup.restore.ts'
import { backupUndo } from '#agent/features/backups/backup.undo.ts'
import { withLargerQuota } from '#agent/features/backups/larger-quota.ts'
import { limitDisk, unlimitDisk } from '#agent/kernel/users/quota.ts'
import { restorable } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { provableSite } from '#tests/support/agent/proof.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const WWW = '31 21 254:16 / /srv/www rw,relatime shared:7 - ext4 /dev/vdb rw,quota,usrquota\n'
const MOUNTS = '/proc/1/mountinfo'
const WEEK_MS = 7 * 24 * 60 * 60_000

/** The tier's 10 GB and 250,000 files, with the copies of 4 kB and 2 files that du reports. */
const limits = (bytes: number, files: number, user = 'shop') => {
  const blocks = 4 * Math.ceil(bytes / 4096)
  return `setquota --user ${user} ${blocks} ${blocks} ${files} ${files} /srv/www`
}
const [TIER, COPY, SAVED] = [10e9, 4000, 1000 + 2 * 4096]
const [FILES, COPY_FILES, SAVED_FILES] = [250_000, 2, 2 + 10_000]

const quotas = ({ ran }: FakeHost) => ran.filter((line) => line.startsWith('setquota'))

async function turnOn(host: FakeHost): Promise<void> {
  await host.disk.write(MOUNTS, WWW)
  host.answer('du --summarize --total --block-size=1', `${COPY}\ttotal\n`)
  host.answer('du --summarize --total --inodes', `${COPY_FILES}\ttotal\n`)
}

test('a site has a larger quota while its backup is fetched, and while its previous state is kept', async () => {
  const { host, params, saving } = await restorable()
  await turnOn(host)

  await outcome(backupRestore.run(params, contextOf(host)))
  const kept = limits(TIER + COPY, FILES + COPY_FILES)
  expect(quotas(host)).toEqual([
    limits(TIER + COPY + SAVED, FILES + COPY_FILES + SAVED_FILES),
    kept,
  ])

  host.time += WEEK_MS + 1
  host.runs.length = 0
  await outcome(backupCreate.run(saving, contextOf(host)))
  expect(quotas(host)).toEqual([limits(TIER, FILES)])
})

test('a restore that fails, and its undo, set the limits again', async () => {
  const { host, params } = await restorable()
  await turnOn(host)
  await outcome(backupRestore.run(params, contextOf(host)))
  host.runs.length = 0

  await outcome(backupUndo.run({ domain: shop.domain }, contextOf(host)))
  const undone = quotas(host)
  host.fail('chown', 'Operation not permitted')
  host.fail('sha256sum', 'Input/output error')
  host.runs.length = 0
  await outcome(backupRestore.run(params, contextOf(host)))

  expect([undone, quotas(host)]).toEqual([[limits(TIER, FILES)], [limits(TIER, FILES)]])
})

test('a proof changes no quota of another site', async () => {
  const { host, params } = await provableSite()
  await turnOn(host)

  await outcome(backupProve.run(params, contextOf(host)))

  expect(quotas(host).filter((line) => line.includes(' shop '))).toEqual([])
  expect(quotas(host).length).toBeGreaterThan(0)
})

test('what a backup says about the owner of its files changes no quota', async () => {
  const { host } = await restorable()
  await turnOn(host)
  const uid = (await host.files.stat('/srv/www/shop/public'))?.uid ?? -1
  const saved = { owner: { uid }, files: { count: 1, bytes: 1000 } }

  await Array.fromAsync(withLargerQuota(host, hidden, saved, async function* () {}))

  expect(quotas(host)).toEqual([limits(TIER + SAVED, FILES + SAVED_FILES, 'proof-x')])
})

/** A fetch of files, up to its middle. */
async function fetching(host: FakeHost, site: typeof shop) {
  await turnOn(host)
  const saved = { files: { count: 1, bytes: 1000 } }
  const lines = withLargerQuota(host, site, saved, async function* () {
    yield 'half of it'
  })
  expect((await lines.next()).value).toBe('half of it')
  return lines
}
const hidden = { ...shop, user: 'proof-x', domain: 'proof-x.invalid' }
const during = limits(TIER + SAVED, FILES + SAVED_FILES)

test('an operation that ends meanwhile leaves the room of a fetch', async () => {
  const { host } = await restorable()
  const own = await fetching(host, shop)
  const other = await fetching(host, hidden)
  host.runs.length = 0

  await limitDisk(host, shop)
  await Array.fromAsync(other)
  await limitDisk(host, shop)
  expect(quotas(host)).toEqual([during, during])
  await Array.fromAsync(own)
  await limitDisk(host, shop)
  expect(quotas(host)).toEqual([during, during, limits(TIER, FILES)])
})

test('the room of a fetch that was killed ends when it is undone', async () => {
  const { host } = await restorable()
  await fetching(host, hidden)
  host.runs.length = 0

  await unlimitDisk(host, hidden.user).apply()
  await limitDisk(host, hidden)

  expect(quotas(host)).toEqual([limits(0, 0, 'proof-x'), limits(TIER, FILES, 'proof-x')])
})

test('a quota that cannot be set is a warning', async () => {
  const { host } = await restorable()
  await turnOn(host)
  host.fail('setquota', 'No such process', 3)
  const saved = { files: { count: 1, bytes: 1 } }

  const lines = await Array.fromAsync(
    withLargerQuota(host, shop, saved, async function* () {
      yield 'fetched'
    }),
  )

  expect(lines).toEqual(['Warning: the disk quota of shop stays: No such process', 'fetched'])
})

test('copies that cannot be measured are a warning, and the restore continues', async () => {
  const { host, params } = await restorable()
  await turnOn(host)
  host.fail('du', 'Input/output error')

  const [lines, result] = await outcome(backupRestore.run(params, contextOf(host)))

  expect(lines).toContain('Warning: the disk quota of shop stays: du: Input/output error')
  expect(result).toMatchObject({ domain: 'shop.example' })
})
