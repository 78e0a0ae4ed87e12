// tier: full
import { afterAll, expect } from 'bun:test'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { dashboard, kit } from '#tests/support/agent/backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { unless } from '#tests/support/skip.ts'
import { installRestic, putRestic } from '#tests/support/storage/restic.ts'
import { ENVIRONMENT, startMachine } from '#tests/support/system/machine.ts'
import { shopOf, withShop } from '#tests/support/system/prepared.ts'
import { testProgram } from '#tests/support/system/test-program.ts'

const MINUTES = 60_000
const DOCUMENT = '.github/docs/backup-recovery.md'
const SITE = shopOf('bookworm')
const STORE = '/mnt/store'

/** The commands of the document that are marked as tested. */
async function documented(): Promise<string[]> {
  const text = await Bun.file(DOCUMENT).text()
  return [...text.matchAll(/<!-- tested[^>]*-->\n```sh\n([\s\S]*?)```/g)].map(
    ([, commands = '']) => commands,
  )
}

unless(lab.available()).test(
  'the kit, restic and the storage alone bring back files and database',
  async () => {
    const program = await testProgram('tests/support/system/faulty-agent.ts')
    const host = await startMachine(
      { name: 'lost', suite: 'bookworm', init: 'systemd', image: await withShop('bookworm') },
      { program, mirror: await wordpressMirror(), serve: false },
    )
    const run = async (command: string, params: object) => {
      const argv = ['/usr/local/bin/hosting-agent', command, 'none', JSON.stringify(params)]
      const output = await host.must(argv, { env: ENVIRONMENT, timeout_ms: 5 * MINUTES })
      expect(JSON.parse(output).outcome.event).toBe('complete')
    }
    await putRestic(host)
    await host.must(['install', '-d', '-m', '0700', STORE])
    const target = { place: { kind: 'local', path: STORE }, secret: '' }
    const keys = { dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey }
    await run('backup.create', { domain: SITE.domain, target, repository: SITE.user, ...keys })
    const sums = ['bash', '-c', 'find . -type f -print0 | sort -z | xargs -0 sha256sum']
    const inFolder = (machine: lab.Host, folder: string) =>
      machine.must(['env', '--chdir', folder, ...sums])
    const files = await inFolder(host, `/srv/www/${SITE.user}/public`)
    const tables = (await host.must(['mariadb', SITE.user, '-Ne', 'SHOW TABLES']))
      .trim()
      .split('\n')

    const rescue = await lab.startHost({ name: 'rescue', suite: 'trixie', init: 'systemd' })
    await installRestic(rescue)
    await must(['cp', '-a', `${host.root}${STORE}`, `${rescue.root}/mnt/`])
    await host.remove()
    await rescue.put('/root/kit.pem', kit.privateKey, 0o600)
    await rescue.put('/root/repository', `${STORE}/${SITE.user}\n`)
    await rescue.must(['ln', '-s', `${STORE}/${SITE.user}/keys`, '/root/keys'])
    const env = { PATH: '/root/restic/usr/bin:/usr/bin:/bin', HOME: '/root' }
    for (const commands of await documented()) {
      await rescue.must(['env', '--chdir', '/root', 'sh', '-c', commands], { env })
    }

    expect(await inFolder(rescue, '/root/public')).toBe(files)
    const dump = await rescue.must(['cat', '/root/database.sql'])
    const created = [...dump.matchAll(/^CREATE TABLE `([^`]+)`/gm)].map(([, name]) => name)
    expect(created.sort()).toEqual(tables.sort())
  },
  10 * MINUTES,
)

afterAll(() => lab.switchDown(), MINUTES)
