// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import { startSftpServer } from '#tests/support/storage/sftp.ts'
import { OffSiteWorld } from '#tests/support/system/off-site/world.ts'

const MINUTES = 60_000
const READABLE =
  /^A server could read this: the account of the target shop, which every server gets, opens the repository/
const READ_ONLY =
  /^The account of the dashboard can read the storage but not write to it: use one that can write/
const UNIT = '/etc/systemd/system/rest.service'

let world: OffSiteWorld

unless(lab.available()).describe('the target of the dashboard', () => {
  beforeAll(async () => {
    world = await OffSiteWorld.start()
  }, 10 * MINUTES)
  afterAll(() => world?.enrolled.stop(), 5 * MINUTES)

  test('is not used as long as the account of a target of sites on the same server opens it', async () => {
    const { host, target, stop } = await startRestServer({ users: ['shop', 'dashboard'] })
    await world.add('shop', target('shop'))

    expect(await world.set(target('dashboard'))).toBe(null)
    expect((await world.state()).target?.checked_at).not.toBe(null)
    expect(await world.save()).toBe(null)
    const saved_at = (await world.state()).saved_at

    await host.must(['sed', '--in-place', 's/ "--private-repos"//', UNIT])
    await host.must(['systemctl', 'daemon-reload'])
    await host.must(['systemctl', 'restart', 'rest'])
    expect(await world.save()).toMatch(READABLE)
    const { target: own, saved_at: last } = await world.state()
    expect([own?.checked_at, last]).toEqual([null, saved_at])
    await stop()
  })
  test('is not used with an account that can only read it', async () => {
    const { host, folder, target, stop } = await startSftpServer()
    const repository = `${folder}/hosting-dashboard`
    const serve = async (words: string) => {
      const command = `s/^ForceCommand internal-sftp.*/ForceCommand internal-sftp${words}/`
      await host.must(['sed', '--in-place', command, '/srv/sftp-etc/sshd'])
      await host.must(['systemctl', 'restart', 'sftp'])
    }
    expect(await world.set(target)).toBe(null)
    expect((await host.must(['ls', `${repository}/snapshots`])).trim()).toBe('')

    await serve(' -R')
    expect(await world.check()).toMatch(READ_ONLY)
    expect((await world.state()).target?.checked_at).toBe(null)
    await serve('')
    await host.must(['chown', '-R', 'root', `${repository}/data`])
    await host.must(['chmod', '-R', 'a+rX', `${repository}/data`])
    expect(await world.check()).toMatch(READ_ONLY)

    await host.must(['chown', '-R', 'backups', `${repository}/data`])
    expect(await world.check()).toBe(null)
    expect((await world.state()).target?.checked_at).not.toBe(null)
    await stop()
  })
})
