import { expect, test } from 'bun:test'
import { hostNameOf } from '#agent/features/backups/restic/prepare.ts'
import { sealTo } from '#agent/features/backups/restic/seal.ts'
import { keepRepository } from '#agent/programs/keeper/keep.ts'
import type { KeeperProblemLine } from '#agent/programs/keeper/report.ts'
import { newRepository } from '#agent/programs/keeper/state.ts'
import type { StoredFile } from '#agent/programs/keeper/store.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { keeper } from '#tests/support/agent/backup.ts'
import { NO_STORE, RESTIC } from '#tests/support/agent/keeper.ts'
import { type FakeHost, freeHost } from '#tests/support/fake-host.ts'

const DAY = 24 * 3_600_000
const NOW = Date.UTC(2026, 10, 23)
const KEY: StoredFile = {
  ...{ folder: 'keys', name: 'a'.repeat(64), sha256: 'a'.repeat(64), size: 1, at: NOW },
}
const HASHES = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [string, string, string]
const COMMAND = `/restic --key-hint=${KEY.name}`
const PRUNE = `${COMMAND} prune --quiet --retry-lock=15m --max-unused=10%`
const CONFIG = {
  ...{ stores: [], check_parts: 30, max_unused: '10%', max_repack: '2G', run_minutes: 240 },
  keep: { all_days: 7, daily_days: 60, weekly_days: 0, monthly_days: 0, last_days: null },
  ended: [],
}
const FULL = 'Save(<data/0a>) failed: write /srv/shop/data/0a-tmp-1: no space left on device'

/** A repository with a backup of 90 days ago, which no rule keeps, and two later ones. */
function repository() {
  const host = freeHost()
  const state = newRepository()
  for (const [index, days] of [90, 20, 1].entries()) {
    state.snapshots[HASHES[index] ?? ''] = { arrived: NOW - days * DAY, parts: [] }
  }
  const listed = HASHES.map((id) => ({ id, time: '2026-11-20T00:00:00Z', tags: ['manifest'] }))
  host.answer(`${COMMAND} snapshots`, JSON.stringify(listed))
  host.answer(`${COMMAND} check`, JSON.stringify({ message_type: 'summary', num_errors: 0 }))
  return { host, state }
}

async function keep({
  host,
  state,
  more = [],
}: ReturnType<typeof repository> & { more?: StoredFile[] }) {
  const hostname = hostNameOf('keeper', keeper.publicKey)
  const username = sealTo(keeper.publicKey, new Secret('password'))
  const own = JSON.stringify({ hostname, username })
  const store = { ...NO_STORE, files: async () => [KEY, ...more], read: async () => own }
  const work = {
    ...{ host, restic: RESTIC, config: CONFIG, key: new Secret(keeper.privateKey), now: NOW },
    ...{ clock_problem: undefined, dry_run: false, save: async () => undefined },
  }
  const problems: KeeperProblemLine[] = []
  const kept = await keepRepository(work, store, 'shop', { state, problems }).catch(String)
  return { kept, problems }
}

const words = (host: FakeHost) =>
  host.ran.map((line) => line.replace(`${COMMAND} `, '').split(' ')[0])

test('counts the backups that stay', async () => {
  const { host, state } = repository()

  expect(await keep({ host, state })).toEqual({
    ...{ kept: { backups: 2, forgotten: [HASHES[0]] }, problems: [] },
  })
  expect([state.prune, words(host)]).toEqual([
    ...[false, ['cat', 'snapshots', 'forget', 'prune', 'check']],
  ])
})

test('removes data that is all unused where a copy of the rest has no space', async () => {
  const { host, state } = repository()
  host.fail(`${PRUNE} --max-repack-size=2G`, FULL)

  expect(await keep({ host, state })).toEqual({
    kept: { backups: 2, forgotten: [HASHES[0]] },
    problems: [
      {
        code: 'failed',
        message: `The storage had no space left: a part of the unused data was removed, and the next run continues (restic: ${FULL})`,
      },
    ],
  })
  expect(host.ran.filter((line) => line.startsWith(PRUNE))).toEqual([
    ...[`${PRUNE} --max-repack-size=2G`, `${PRUNE} --max-repack-size=0`],
  ])
  expect(state.prune).toBe(true)
})

test('reports what it has found before a step that fails', async () => {
  const { host, state } = repository()
  state.snapshots[HASHES[2]] = { arrived: NOW - DAY, parts: ['lost'] }
  state.snapshots.lost = { arrived: NOW - DAY, parts: [] }
  host.fail(`${COMMAND} forget`, 'repository is already locked', 11)

  const { kept, problems } = await keep({ host, state })

  expect(kept).toStartWith('Error: The repository is locked by another program')
  expect(problems.map(({ code }) => code)).toEqual(['damaged'])
})

test('a storage that does not answer has not lost the key', async () => {
  const { host, state } = repository()
  host.fail(`${COMMAND} cat config`, 'Fatal: unable to open config file: connection refused')

  const { kept, problems } = await keep({ host, state })

  expect(kept).toContain('The target did not answer: check the network')
  expect(problems).toEqual([])
})

test('a key that no memory is enough for does not hide the next one', async () => {
  const { host, state } = repository()
  const other: StoredFile = { ...KEY, name: 'b'.repeat(64), sha256: 'b'.repeat(64), at: NOW - DAY }
  host.fail(`/restic --key-hint=${other.name} cat config`, '', 137)

  const { kept, problems } = await keep({ host, state, more: [other] })

  expect([kept, problems]).toEqual([{ backups: 2, forgotten: [HASHES[0]] }, []])
  expect([host.ran[0], state.key]).toEqual([...[expect.stringContaining(other.name), KEY.name]])
})

test.each([
  ['the memory', 137, '', 'restic was killed: check that this server has enough free memory'],
  ['the disk', 1, `Fatal: ${FULL}`, 'no space left on device'],
])('a keeper that lacks %s has a key all the same', async (_, code, stderr, message) => {
  const { host, state } = repository()
  host.fail(`${COMMAND} cat config`, stderr, code)
  const other: StoredFile = { ...KEY, name: 'b'.repeat(64), sha256: 'b'.repeat(64), at: NOW + DAY }
  host.fail(`/restic --key-hint=${other.name} cat config`, 'Fatal: wrong password', 12)

  const { kept, problems } = await keep({ host, state, more: [other] })

  expect(kept).toContain(message)
  expect([problems, words(host)[0]]).toEqual([[], 'cat'])
})

test('a storage that does not answer has not lost a manifest', async () => {
  const { host, state } = repository()
  delete state.snapshots[HASHES[2]]
  host.fail(`${COMMAND} dump`, 'Load(<data/0a>) failed: dial tcp 10.0.0.1:443: i/o timeout')

  const { kept, problems } = await keep({ host, state })

  expect(kept).toContain('The target did not answer: check the network')
  expect([problems, words(host)]).toEqual([[], ['cat', 'snapshots', 'dump']])
})

test('a list that cannot be read is not one without snapshots', async () => {
  const { host, state } = repository()
  const words = 'could not load snapshots: open /srv/shop/snapshots: permission denied'
  host.fail(`${COMMAND} snapshots`, words, 0, '[]')

  const { kept, problems } = await keep({ host, state })

  expect([kept, problems]).toEqual([`Error: restic: ${words}`, []])
})

test('what may belong to a snapshot that the storage cannot read is kept', async () => {
  const { host, state } = repository()
  const [old] = HASHES
  state.snapshots[old] = { arrived: NOW - 9 * DAY, parts: ['not seen yet'] }
  const file: StoredFile = { ...KEY, folder: 'snapshots', name: '4'.repeat(64), sha256: undefined }

  expect(await keep({ host, state, more: [file] })).toEqual({
    kept: { backups: 2, forgotten: [] },
    problems: [
      {
        code: 'unreadable',
        message: 'The snapshot 44444444 cannot be read: what may belong to it is kept',
      },
    ],
  })
})
