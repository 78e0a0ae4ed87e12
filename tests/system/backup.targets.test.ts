import { afterAll, beforeAll, expect, test } from 'bun:test'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { unless } from '#tests/support/skip.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import { putRestic, type Target } from '#tests/support/storage/restic.ts'
import { startS3Server } from '#tests/support/storage/s3.ts'
import { startSftpServer } from '#tests/support/storage/sftp.ts'
import { ENVIRONMENT, startMachine } from '#tests/support/system/machine.ts'
import { packaged } from '#tests/support/system/packaged.ts'

const MINUTES = 60_000
const PROGRAM = 'dist/faulty-agent'
const SITE = {
  ...{ domain: 'shop.example.test', php: '8.2', tier: 'small', tls: 'none' },
  ...{ email: 'owner@example.test', user: 'shop1a2b3c' },
}
const PAGE = `/srv/www/${SITE.user}/public/page.html`

unless(lab.available()).describe('a backup in real storage', () => {
  let host: lab.Host

  const run = async (command: string, params: object) => {
    const argv = ['/usr/local/bin/hosting-agent', command, 'none', JSON.stringify(params)]
    const output = await host.must(argv, { env: ENVIRONMENT, timeout_ms: 5 * MINUTES })
    return JSON.parse(output).outcome
  }
  const saved = async (target: Target) => {
    const keys = { dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey }
    const { data } = await run('backup.create', { domain: SITE.domain, target, ...keys })
    expect(data).toMatchObject({ status: 'ok' })
    return { ...data.backup, password: opened(dashboard.privateKey, data.sealed_password) }
  }
  /** Saves a page, changes it, and restores it; then saves what has not changed. */
  const roundTrip = async (target: Target) => {
    const checked = (await run('backup.check', { target })).data
    await host.put(PAGE, 'as saved')
    const { id, repository, password, stored } = await saved(target)
    await host.put(PAGE, 'changed')
    const parts = { files: true, database: true }
    const backup = { repository, password, backup: id, parts }
    const restored = await run('backup.restore', { domain: SITE.domain, target, ...backup })
    const again = await saved(target)
    return {
      append_only: checked.append_only,
      restored: restored.event,
      page: await host.must(['cat', PAGE]),
      less: again.stored < stored / 20,
    }
  }

  beforeAll(async () => {
    await must([
      ...[process.execPath, 'build', '--compile', `--outfile=${PROGRAM}`],
      'tests/support/system/faulty-agent.ts',
    ])
    host = await startMachine(
      { name: 'client', suite: 'bookworm', init: 'systemd', image: await packaged('bookworm') },
      { program: PROGRAM, mirror: await wordpressMirror(), serve: false },
    )
    await putRestic(host)
    await run('server.provision', {})
    expect((await run('site.create', SITE)).event).toBe('complete')
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), MINUTES)

  test(
    'of a REST server, which refuses to delete it',
    async () => {
      const { target, stop } = await startRestServer({ users: ['agency'] })

      const outcome = await roundTrip(target('agency'))

      expect(outcome).toEqual({
        ...{ append_only: true, restored: 'complete', page: 'as saved', less: true },
      })
      await stop()
    },
    10 * MINUTES,
  )

  test(
    'of an SFTP account, and of a bucket of S3',
    async () => {
      for (const start of [startSftpServer, startS3Server]) {
        const { target, stop } = await start()

        expect(await roundTrip(target)).toEqual({
          ...{ append_only: false, restored: 'complete', page: 'as saved', less: true },
        })
        await stop()
      }
    },
    10 * MINUTES,
  )

  test(
    'fails with the words of the storage for a wrong password, key or certificate',
    async () => {
      const { target, stop } = await startRestServer({ users: ['agency'] })
      const right = target('agency')
      const message = async (changed: object) =>
        String((await run('backup.check', { target: changed })).data.message)

      expect(await message({ ...right, secret: 'wrong-password' })).toContain('401 Unauthorized')
      expect(await message({ ...right, secret: 'wrong-password' })).not.toContain('wrong-password')
      expect(await message({ ...right, place: { ...right.place, ca: '' } })).toContain(
        'certificate',
      )
      await stop()
    },
    10 * MINUTES,
  )
})
