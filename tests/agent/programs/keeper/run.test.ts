import { expect, test } from 'bun:test'
import type { KeeperConfig } from '#agent/programs/keeper/config.ts'
import { runKeeper } from '#agent/programs/keeper/run.ts'
import { keeper } from '#tests/support/agent/backup.ts'
import { freeHost } from '#tests/support/fake-host.ts'

const AT = '2026-01-01T00:00:00.000Z'
const S3 = {
  ...{ kind: 's3' as const, url: 'https://127.0.0.1:1', bucket: 'backups', prefix: 'sites' },
  ...{ region: 'us-east-1', user: 'key', secret: 'secret', ca: '' },
}
const CONFIG: KeeperConfig = {
  stores: [S3, { kind: 'folder', path: '/srv/restic' }],
  keep: { all_days: 7, daily_days: 0, weekly_days: 0, monthly_days: 0, last_days: null },
  ended: [],
  ...{ check_parts: 30, max_unused: '10%', max_repack: '2G', run_minutes: 240, restic: '/restic' },
}

test('a store that does not answer does not stop the others', async () => {
  const host = freeHost()
  host.disk.putText('/etc/hosting-keeper/key.pem', keeper.privateKey)
  host.disk.putText('/srv/restic/shop/config', 'config')

  const lines = await Array.fromAsync(runKeeper(host, CONFIG))

  expect(lines).toEqual([
    {
      ...{ at: AT, store: 's3:backups/sites', repository: '', status: 'failed', seconds: 0 },
      problems: [{ code: 'failed', message: expect.any(String) }],
    },
    {
      ...{ at: AT, store: '/srv/restic', repository: 'shop', status: 'problem', seconds: 0 },
      ...{ backups: 0, forgotten: [] },
      problems: [{ code: 'no_key', message: expect.stringContaining('No key for this keeper') }],
    },
  ])
  expect(host.ran.some((line) => line.includes('of=/srv/restic/hosting-keeper/keys/draft'))).toBe(
    true,
  )
})

test('a report that cannot be written stops no other, and is named', async () => {
  const host = freeHost()
  host.disk.putText('/etc/hosting-keeper/key.pem', keeper.privateKey)
  const stores = ['/srv/full', '/srv/restic'].map((path) => ({ kind: 'folder' as const, path }))
  for (const { path } of stores) host.disk.putText(`${path}/shop/config`, 'config')
  const draft = (path: string) => `dd status=none of=${path}/hosting-keeper/keys/draft`
  host.fail(draft('/srv/full'), 'No space left on device')

  const run = Array.fromAsync(runKeeper(host, { ...CONFIG, stores }))

  await expect(run).rejects.toThrow(/^The report was not written: \/srv\/full: .*No space left on/)
  expect(host.ran).toContain(draft('/srv/restic'))
})
