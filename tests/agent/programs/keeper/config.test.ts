import { expect, test } from 'bun:test'
import { CONFIG_PATH, keepRulesOf, readKeeperConfig } from '#agent/programs/keeper/config.ts'
import { readState } from '#agent/programs/keeper/state.ts'
import { FakeHost } from '#tests/support/fake-host.ts'

const SMALLEST = { stores: [{ kind: 'folder', path: '/srv/restic' }], keep: { all_days: 14 } }

async function read(config: unknown, mode = 0o600) {
  const host = new FakeHost()
  host.disk.putText(CONFIG_PATH, typeof config === 'string' ? config : JSON.stringify(config), {
    mode,
  })
  return readKeeperConfig(host.files, CONFIG_PATH)
}

test('the smallest configuration has defaults that delete nothing but what the days say', async () => {
  expect(await read(SMALLEST)).toEqual({
    stores: [{ kind: 'folder', path: '/srv/restic' }],
    keep: { all_days: 14, daily_days: 0, weekly_days: 0, monthly_days: 0, last_days: null },
    ended: [],
    ...{ check_parts: 30, max_unused: '10%', max_repack: '2G', run_minutes: 240 },
  })
})

test('only a site that is said to have ended loses its last backup', async () => {
  const config = await read({
    ...SMALLEST,
    keep: { all_days: 14, last_days: 30 },
    ended: ['old-shop'],
  })

  expect([
    keepRulesOf(config, 'old-shop').last_days,
    keepRulesOf(config, 'shop').last_days,
  ]).toEqual([30, null])
})

test.each([
  [{ ...SMALLEST, keep: {} }, 'keep.all_days must be a whole number of days'],
  [{ ...SMALLEST, keep: { all_days: 14, daily: 3 } }, 'keep Unrecognized key: "daily"'],
  [{ ...SMALLEST, stores: [] }, 'stores must have a store'],
  [{ ...SMALLEST, stores: [{ kind: 'ftp' }] }, 'stores.0.kind must have a kind: folder or s3'],
  [
    { ...SMALLEST, stores: [{ kind: 'folder', path: '../x' }] },
    'stores.0.path must be an absolute path of letters, digits and . _ @ + = -',
  ],
])('a bad value is named in one line: %#', async (config, problem) => {
  expect(await read(config).catch((error: Error) => error.message)).toBe(
    `${CONFIG_PATH}: ${problem}`,
  )
})

test('a configuration that others can read is refused, since it may have credentials', async () => {
  expect(read(SMALLEST, 0o644)).rejects.toThrow(
    `${CONFIG_PATH} must be readable by its owner alone: chmod 600 ${CONFIG_PATH}`,
  )
  expect(read('{')).rejects.toThrow(`${CONFIG_PATH} is not JSON`)
})

test('a damaged state is not replaced by a new one: forged dates would be believed', async () => {
  const host = new FakeHost()
  expect(await readState(host.files, '/state.json')).toEqual({ repositories: {} })
  host.disk.putText('/state.json', '{"repositories": [')

  expect(readState(host.files, '/state.json')).rejects.toThrow(
    '/state.json is damaged: restore it, or remove it to begin again',
  )
})
