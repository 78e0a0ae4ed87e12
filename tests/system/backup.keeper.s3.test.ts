import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newestOf } from '#dashboard/site-backups/keeper/verified.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { buildKeeper, historyIn, installKeeper } from '#tests/support/storage/history.ts'
import { installRestic, putRestic, restic } from '#tests/support/storage/restic.ts'
import { OWNER, startS3Server, WRITER } from '#tests/support/storage/s3.ts'
import { hideAll, releaseAttempts, versionsIn } from '#tests/support/storage/s3-attack.ts'
import { foundDuring, KEEPER_KEY, privateLine } from '#tests/support/system/keeper-secrets.ts'

const MINUTES = 60_000

unless(lab.available()).describe('a bucket with object lock', () => {
  let folder: string
  let client: lab.Host
  let s3: Awaited<ReturnType<typeof startS3Server>>
  let keeper: Awaited<ReturnType<typeof installKeeper>>
  let machine: lab.Host

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keeper-'))
    const program = join(folder, 'hosting-agent')
    await buildKeeper(program)
    client = await lab.startHost({ name: 'client', suite: 'bookworm', init: 'systemd' })
    await installRestic(client)
    s3 = await startS3Server({ locked_days: 1 })
    machine = await lab.startHost({ name: 'keeper', suite: 'bookworm', init: 'systemd' })
    await putRestic(machine, '/var/lib/hosting-keeper')
    const owner = { ...s3.target.place, user: OWNER.key, secret: OWNER.secret }
    keeper = await installKeeper(machine, program, {
      ...{ stores: [owner], keep: { all_days: 7, daily_days: 60 }, check_parts: 1 },
    })
  }, 10 * MINUTES)
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await lab.switchDown()
  }, MINUTES)

  test(
    'has what the keeper forgets until its lock ends, and what an attacker deletes and overwrites',
    async () => {
      const history = historyIn(client, s3.target, 'shop')
      await history.start(keeper.key)
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

      const reports = { method: 'GET', url: '?prefix=sites%2Fhosting-keeper%2F' }
      const [stored] = [...(await s3.request(WRITER, reports)).body.matchAll(/<Key>(.*?)<\/Key>/g)]
      const { body } = await s3.request(WRITER, { method: 'GET', url: `/${stored?.[1]}` })
      expect(newestOf(keeper.key, [body], new Date())).toMatchObject({
        forgotten: 2,
        names: ['shop'],
      })

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
