// tier: gate
import { expect } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordSealed } from '#dashboard/features/backups/off-site/release-key.ts'
import { saveOffSite } from '#dashboard/features/backups/off-site/save-off-site.ts'
import { findOffSite } from '#dashboard/features/backups/off-site/state.queries.ts'
import { putRecovery, sealFiles } from '#dashboard/features/backups/recovery-file.ts'
import { backUp } from '#dashboard/features/recovery/backup/back-up.ts'
import { restore } from '#dashboard/features/recovery/backup/restore.ts'
import { dashboard_targets } from '#dashboard/kernel/db/backup-schema.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { readRecovered } from '#scripts/install/recovery.ts'
import { Watcher } from '#tests/support/canary.ts'
import { confirmKit, kit } from '#tests/support/dashboard/backups.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { resticPackage } from '#tests/support/storage/restic.ts'

const MINUTES = 60_000
const NAME = 'hosting-dashboard'
const RELEASE_KEY = String(
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }),
)

/** The first commands of a document that are marked as tested. */
async function documented(name: string): Promise<string> {
  const text = await Bun.file(`.github/docs/${name}`).text()
  return /<!-- tested[^>]*-->\n```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
}

unless(lab.available()).test(
  'the kit, restic and the storage restore the records of a dashboard with its secrets',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'off-site-'))
    const store = join(folder, 'store')
    await mkdir(store)
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const { db } = dashboard
    const data_dir = dashboard.folder
    await Bun.write(`${data_dir}/seal-secret`, 's'.repeat(32))
    await mkdir(`${data_dir}/cache`)
    await cp(await resticPackage(), `${data_dir}/cache/restic.deb`)
    await confirmKit(dashboard)
    const files = { 'release-key': RELEASE_KEY, 'dashboard.env': 'TRASH_DAYS=30\n' }
    await putRecovery(data_dir, sealFiles(files, kit.publicKey, clock.now()))
    await recordSealed(db, data_dir)
    const records = { database: { url: `file:${data_dir}/test.db` }, data_dir }
    const save = () =>
      saveOffSite({
        ...{ ...dashboard.deps, random: secureRandom, data_dir, stall_ms: 5 * MINUTES },
        backUp: async (path) => {
          await backUp(records, path, { now: clock.now(), with_secrets: true })
        },
      })
    await save()
    expect(await findOffSite(db)).toBeUndefined()

    await dashboard.call('PUT', '/api/fleet/dashboard-backup/target', {
      ...{ place: { kind: 'local', path: '/mnt/none' }, keeper_key: kit.publicKey },
    })
    // The folders of a test are below /tmp, which the API refuses.
    const set = (path: string) =>
      db.write((queries) =>
        queries.update(dashboard_targets).set({ place: { kind: 'local', path } }),
      )
    await set(data_dir)
    await save()
    const inside = await findOffSite(db)
    expect(inside).toMatchObject({
      saved_at: null,
      error: expect.stringContaining('neither be in'),
    })
    clock.move(3 * 24 * 60 * MINUTES)
    const { body } = await dashboard.call('GET', '/api/fleet')
    expect(body.attention).toMatchObject([{ kind: 'dashboard_backup', severity: 'warning' }])

    await set(store)
    clock.move(61 * MINUTES)
    const seen = new Watcher()
    seen.watch(new Map([[process.pid, 'the dashboard']]))
    await save()
    await save()
    seen.stop()
    await seen.seeFiles('data', data_dir)
    const { body: state } = await dashboard.call('GET', '/api/fleet/dashboard-backup')
    expect(state.backup.release_key).toEqual({ state: 'saved', since: clock.now().toISOString() })
    const saved = await findOffSite(db)
    expect(saved).toMatchObject({ error: null, saved_at: saved?.tried_at })
    expect(await readdir(`${store}/${NAME}/snapshots`)).toHaveLength(1)
    expect(await readdir(`${store}/${NAME}/keys`)).toHaveLength(3)
    expect((await readdir(data_dir)).filter((name) => name.startsWith('off-site'))).toEqual([])
    clock.move(24 * 60 * MINUTES)
    await save()
    expect(await readdir(`${store}/${NAME}/snapshots`)).toHaveLength(2)

    const rescue = join(folder, 'rescue')
    await mkdir(rescue)
    await Bun.write(`${rescue}/kit.pem`, kit.privateKey)
    await Bun.write(`${rescue}/repository`, `${store}/${NAME}\n`)
    await symlink(`${store}/${NAME}/keys`, `${rescue}/keys`)
    const env = { PATH: `${data_dir}/bin:/usr/bin:/bin`, HOME: rescue }
    for (const name of ['backup-recovery.md', 'operating.md']) {
      const argv = ['env', '--chdir', rescue, 'sh', '-c', await documented(name)]
      await lab.must(argv, { env })
    }
    const password = (await Bun.file(`${rescue}/password`).text()).trim()
    expect([password.length, seen.placesOf(password)]).toEqual([48, []])
    // Shows that restic was looked at.
    expect(seen.placesOf('--retry-lock=')).toContain('arguments of a child of the dashboard')
    const target = {
      database: { url: `file:${rescue}/data/dashboard.db` },
      data_dir: `${rescue}/data`,
    }
    const lost = { backup: `${rescue}/dashboard.tar`, kit: `${rescue}/kit.pem` }
    expect(await readRecovered(lost)).toMatchObject({
      ...{ release_key: RELEASE_KEY, environment: 'TRASH_DAYS=30\n' },
    })
    expect(seen.placesOf(RELEASE_KEY.split('\n')[1] ?? '')).toEqual([])
    await mkdir(target.data_dir)
    const { manifest } = await restore(`${rescue}/dashboard.tar`, target, clock.now())

    expect(manifest.database.rows).toMatchObject({ users: 1, dashboard_targets: 1, backup_kits: 1 })
    expect((await Bun.file(`${target.data_dir}/seal-secret`).text()).trim()).toBe('s'.repeat(32))
    await rm(folder, { recursive: true })
  },
  3 * MINUTES,
)
