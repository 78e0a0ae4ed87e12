import { expect, test } from 'bun:test'
import { besideS3, describeKeeper } from '#tests/support/storage/keeper-world.ts'
import { restic } from '#tests/support/storage/restic.ts'
import { OWNER } from '#tests/support/storage/s3.ts'
import { hideAll, releaseAttempts, versionsIn } from '#tests/support/storage/s3-attack.ts'
import { foundDuring, KEEPER_KEY, privateLine } from '#tests/support/system/keeper-secrets.ts'

const MINUTES = 60_000
const locked = () => besideS3({ locked_days: 1 })

describeKeeper('a bucket with object lock', locked, {}, (world) => {
  test(
    'has what the keeper forgets until its lock ends, and what an attacker deletes and overwrites',
    async () => {
      const { client, keeper, place, report: signed, started } = world()
      const { machine, storage: s3 } = place
      const history = await started('shop')
      const old = await history.save(80)
      const yesterday = [await history.save(9), await history.save(1)]
      const page = await client.must(['cat', '/root/site/page.html'])

      let run: Awaited<ReturnType<typeof keeper.run>> | undefined
      const secrets = [OWNER.secret, await privateLine(machine)]
      const places = await foundDuring(machine, secrets, async () => {
        run = await keeper.run()
      })

      expect(places).toEqual([
        ...['/etc/hosting-keeper/config.json', KEEPER_KEY, '/var/lib/hosting-keeper/s3-0/aws'],
      ])
      const { code, report = [] } = run ?? {}
      expect([code, report[0].status, [...report[0].forgotten].sort()]).toEqual([
        ...[0, 'ok', [old.id, old.files].sort()],
      ])
      const kept = await history.snapshots()
      expect(kept).toEqual(yesterday.flatMap(({ id, files }) => [id, files]).sort())

      expect(await signed()).toMatchObject({ forgotten: 2, names: ['shop'] })

      const attacked_at = (await client.must(['date', '--utc', '+%FT%TZ'])).trim()
      await Bun.sleep(1100)
      const keys = await hideAll(s3, 'shop')
      expect(keys.length).toBeGreaterThan(10)
      expect((await restic(client, s3.target, 'shop', ['snapshots'])).code).not.toBe(0)
      const [version = ''] = await versionsIn(s3, 'shop')
      expect(await releaseAttempts(s3, version)).toEqual([403, 403, 403, 403, 403])

      const undone = await machine.must(['hosting-agent', 'keeper', 'undelete', attacked_at])

      expect(JSON.parse(undone)).toEqual({
        ...{ bucket: 'backups', deleted: keys.length - 1, overwritten: 1 },
      })
      expect(await history.snapshots()).toEqual(kept)
      await history.run('check', '--read-data', '--quiet', '--no-lock')
      const [last] = yesterday.slice(-1)
      await history.run(
        'restore',
        `${last?.files}:/root/site`,
        '--target',
        '/root/back',
        '--no-lock',
      )
      expect(await client.must(['cat', '/root/back/page.html'])).toBe(page)
      expect((await keeper.run()).report[0]).toMatchObject({ status: 'ok', problems: [] })
    },
    10 * MINUTES,
  )
})
