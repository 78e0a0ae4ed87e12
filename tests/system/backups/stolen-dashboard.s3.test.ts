// tier: full
import { afterAll, expect } from 'bun:test'
import { buildAgent } from '#scripts/build-agent.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { installKeeper } from '#tests/support/storage/history.ts'
import { installRestic } from '#tests/support/storage/restic.ts'
import { OWNER, startS3Server } from '#tests/support/storage/s3.ts'
import { hideAll, keysIn, releaseAttempts, versionsIn } from '#tests/support/storage/s3-attack.ts'
import { PAGE, savedYesterday } from '#tests/support/system/stolen-world.ts'
import { resticOf, stolenFrom } from '#tests/support/system/thief.ts'
import { MINUTES, World } from '#tests/support/system/world.ts'

const world = new World({
  ...{ name: 'stolen', suite: 'bookworm', init: 'systemd', php: '8.2', image: 'provisioned' },
})

unless(lab.available()).test(
  'a thief of the whole dashboard only hides backups in a bucket with object lock, and one command restores them',
  async () => {
    await world.start()
    const s3 = await startS3Server({ locked_days: 1 })
    const { deleteAll } = await savedYesterday(world, s3.target)
    const secrets = await stolenFrom(world.dashboard.data_dir)
    const { repository } = secrets
    const before = await versionsIn(s3, repository)
    const kept = before.filter((version) => !version.includes('/locks/'))
    expect(kept.length).toBeGreaterThan(5)
    const attacked_at = await nextSecond(s3.host)

    // With all of its secrets, from anywhere.
    const thief = await lab.startHost({ name: 'thief', suite: 'bookworm', init: 'systemd' })
    await installRestic(thief)
    const all = ['--tag', 'files', '--tag', 'database', '--tag', 'manifest']
    await resticOf(thief, secrets, ['forget', '--prune', '--unsafe-allow-remove-all', ...all])
    expect(await resticOf(thief, secrets, ['snapshots', '--json'])).toBe('[]\n')
    await hideAll(s3, repository)
    const attempts = await Promise.all(kept.map((version) => releaseAttempts(s3, version)))
    expect([...new Set(attempts.flat())]).toEqual([403])
    expect(await deleteAll()).toEqual({
      used_target: 409,
      deleted: 'complete',
      purged: 'complete',
      server: 204,
    })
    expect(await resticOf(thief, secrets, ['snapshots']).catch(String)).toContain('no key found')

    expect(await versionsIn(s3, repository)).toEqual(expect.arrayContaining(kept))
    const machine = await lab.startHost({ name: 'keeper', suite: 'bookworm', init: 'systemd' })
    const { file: program } = await buildAgent('.')
    const owner = { ...s3.target.place, user: OWNER.key, secret: OWNER.secret }
    await installKeeper(machine, program, { stores: [owner], keep: { all_days: 7 } })
    await machine.must(['hosting-agent', 'keeper', 'undelete', attacked_at])

    const names = kept.map((version) => version.slice(1).split('?')[0] ?? '')
    expect(await keysIn(s3, repository)).toEqual(expect.arrayContaining([...new Set(names)]))
    // Without --no-lock: the exclusive locks of the thief stay hidden.
    await resticOf(thief, secrets, ['check', '--read-data', '--quiet'])
    const files = ['--tag', 'files', 'latest']
    await resticOf(thief, secrets, ['restore', ...files, '--target', '/root/back'])
    expect((await thief.must(['cat', '/root/back/site/public/page.html'])).trim()).toBe(PAGE)
    await resticOf(thief, secrets, ['backup', '--quiet', '/root/back'])
  },
  15 * MINUTES,
)

/** The bucket has times in seconds: what was stored until now is earlier. */
async function nextSecond(host: lab.Host): Promise<string> {
  const now = async () => (await host.must(['date', '--utc', '+%FT%TZ'])).trim()
  const first = await now()
  await lab.poll(async () => (await now()) !== first, { timeout_ms: 5000 })
  return now()
}

afterAll(() => world.stop(), 5 * MINUTES)
