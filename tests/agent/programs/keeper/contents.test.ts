import { expect, test } from 'bun:test'
import { contentsOf } from '#agent/programs/keeper/contents.ts'
import { newRepository } from '#agent/programs/keeper/state.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { NO_STORE, RESTIC } from '#tests/support/agent/keeper.ts'
import { freeHost } from '#tests/support/fake-host.ts'

const DAY = 24 * 3_600_000
const NOW = Date.UTC(2026, 10, 23)
const opened = { store: NO_STORE, name: 'shop', password: new Secret('password'), key: 'key' }

/** A repository with two backups, of which the keeper knows what they name. */
function known() {
  const state = newRepository()
  for (const day of [9, 8]) {
    const arrived = NOW - day * DAY
    for (const part of ['files', 'database'])
      state.snapshots[`${part} ${day}`] = { arrived, parts: [] }
    state.snapshots[`manifest ${day}`] = { arrived, parts: [`files ${day}`, `database ${day}`] }
  }
  state.listed = NOW - DAY
  const listed = Object.keys(state.snapshots).map((id) => ({
    ...{ id, claimed: 0, tags: id.startsWith('manifest') ? ['manifest'] : [] },
  }))
  return { state, listed }
}
const read = (given: Pick<Parameters<typeof contentsOf>[3], 'state' | 'listed'>) =>
  contentsOf(freeHost(), RESTIC, opened, { ...given, now: NOW })

test.each([
  ['files 9', ['manifest 9', 'database 9']],
  ['manifest 9', ['manifest 9', 'files 9', 'database 9']],
])('what is left of a backup whose %s the storage has lost is known', async (lost, left) => {
  const { state, listed } = known()

  const found = await read({ state, listed: listed.filter(({ id }) => id !== lost) })

  expect(found.backups.map(({ id }) => id)).toEqual(['manifest 8'])
  expect(found.broken.map(({ id, parts }) => [id, ...parts])).toEqual([left])
  expect(state.snapshots[lost]).toMatchObject({ arrived: NOW - 9 * DAY, lost: NOW })
})

test('a snapshot that is there again belongs to its backup, with its time', async () => {
  const { state, listed } = known()
  const before = structuredClone(state.snapshots)
  await read({ state, listed: [] })

  const found = await read({ state, listed })

  expect(found.backups.map(({ id }) => id)).toEqual(['manifest 9', 'manifest 8'])
  expect([found.broken, state.snapshots]).toEqual([[], before])
})

test('what a run that was killed has forgotten is not lost', async () => {
  const { state, listed } = known()
  for (const id of ['files 9', 'manifest 9'])
    Object.assign(state.snapshots[id] ?? {}, { leaving: true })

  const found = await read({ state, listed: listed.filter(({ id }) => id !== 'files 9') })

  expect([found.backups.map(({ id }) => id), found.broken]).toEqual([['manifest 8'], []])
  expect([state.snapshots['files 9'], state.snapshots['manifest 9']?.leaving]).toEqual([
    ...[undefined, undefined],
  ])
})

test.each([
  ['cannot be read', { arrived: NOW }, ['manifest 8']],
  ['names what was never there', { arrived: NOW, parts: ['invented'] }, []],
])('a manifest that %s is no backup', async (_, manifest, unreadable) => {
  const { state, listed } = known()
  state.snapshots['manifest 8'] = manifest

  const found = await read({ state, listed })

  expect([found.unreadable, found.backups.map(({ id }) => id), found.broken]).toEqual([
    ...[unreadable, ['manifest 9'], []],
  ])
})
