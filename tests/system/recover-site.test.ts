import { afterAll, expect } from 'bun:test'
import { RESTIC } from '#shared/restic/source.ts'
import { kit } from '#tests/support/agent/backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import { installRestic } from '#tests/support/storage/restic.ts'
import { startS3Server, WRITER } from '#tests/support/storage/s3.ts'
import { startSftpServer } from '#tests/support/storage/sftp.ts'
import { BackupHost, SITE } from '#tests/support/system/backup-host.ts'
import { tablesOf } from '#tests/support/system/histories/table-state.ts'
import { resticOf } from '#tests/support/system/thief.ts'

const MINUTES = 60_000
const SCRIPT = 'scripts/recover-site.sh'
const ENV = { PATH: '/root/restic/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' }

/** Without the options, which WordPress writes with the first visit. */
async function rowsOf(host: lab.Host): Promise<[string, string][]> {
  return [...(await tablesOf(host, SITE.user))].filter(([name]) => !name.endsWith('_options'))
}

unless(lab.available()).test(
  'one command brings a site back on an empty server, with the kit and the storage alone',
  async () => {
    const server = await BackupHost.start('lost')
    const redirects = [{ domain: 'old.example.test', status: 301, keep_path: true }]
    const names = { www: 'serve', aliases: ['alias.example.test'], redirects }
    await server.completed('site.domains', { domain: SITE.domain, ...names })
    const job = { name: 'nightly', schedule: '0 3 * * *', command: 'wp cache flush' }
    const add = { ...job, max_minutes: 5, enabled: true }
    await server.completed('site.jobs', { domain: SITE.domain, add })
    const storage = await startRestServer()
    const { place, secret } = storage.target('shop')
    server.target = { place, secret }
    const { repository, password } = await server.save()
    const [s3, sftp] = [await startS3Server(), await startSftpServer()]
    for (const { target } of [s3, sftp]) {
      server.target = target
      await server.completed('backup.create', server.saving)
    }
    const sums = `cd /srv/www/${SITE.user}/public && find . -type f -print0 | sort -z | xargs -0 sha256sum`
    const files = await server.host.must(['bash', '-c', sums])
    const tables = await rowsOf(server.host)
    await server.host.remove()

    const rescue = await lab.startHost({ name: 'rescue', suite: 'trixie', init: 'systemd' })
    await installRestic(rescue)
    // By somebody in control of the server: the storage only adds.
    const stolen = { place, secret, repository, password }
    const forged = ['backup', '--time', '2099-01-01 00:00:00', '--tag', 'manifest']
    const text = ['--stdin-filename', 'manifest.json', '--stdin-from-command', '--', 'echo', '{}']
    await resticOf(rescue, stolen, [...forged, ...text])
    const address = place.url.replace('://', `://${place.user}:${secret}@`)
    await rescue.put('/root/repository', `rest:${address}${SITE.user}/\n`, 0o600)
    await rescue.put('/root/kit.pem', kit.privateKey, 0o600)
    await rescue.put('/root/ca.pem', place.ca)
    await rescue.put('/root/recover-site.sh', await Bun.file(SCRIPT).text())
    const given = ['--kit', 'kit.pem', '--repository', 'repository', '--ca', 'ca.pem']
    const argv = ['env', '--chdir=/root', 'sh', 'recover-site.sh', ...given]
    const said = await rescue.must(argv, { env: ENV, timeout_ms: 15 * MINUTES })

    console.log(said)
    expect(said).toMatch(/\[\d+ s\] shop\.example\.test answers\. Backup of 20\d\d-/)
    expect(await rescue.must(['bash', '-c', sums])).toBe(files)
    expect(await rowsOf(rescue)).toEqual(tables)
    expect(said).toMatch(
      / {2}[0-9a-f]{8} {2}2099-01-01 \d\d:00:00 UTC, in the future: not taken\n {2}/,
    )
    expect(said).toContain('It also answers for alias.example.test old.example.test\n')
    expect(said).toContain('  0 3 * * *  wp cache flush\n')
    for (const name of [SITE.domain, 'alias.example.test', 'old.example.test']) {
      const page = ['curl', '-sS', '--resolve', `${name}:80:127.0.0.1`]
      const login = await rescue.must([...page, `http://${name}/wp-login.php`])
      expect([name, login]).toEqual([name, expect.stringContaining('wp-submit')])
    }

    // From the bucket, and from the account: nothing is copied by hand. It can be run again.
    const { bucket, prefix, url, ca } = s3.target.place
    const { host, port, user, path, host_key } = sftp.target.place
    await rescue.put('/root/ca.pem', ca)
    await rescue.put('/root/.ssh/id_ed25519', sftp.target.secret, 0o600)
    await rescue.put('/root/.ssh/known_hosts', `[${host}]:${port} ${host_key}\n`)
    const ssh = `Host storage\n  HostName ${host}\n  Port ${port}\n  User ${user}\n`
    await rescue.put('/root/.ssh/config', ssh, 0o600)
    const keys = { AWS_ACCESS_KEY_ID: WRITER.key, AWS_SECRET_ACCESS_KEY: WRITER.secret }
    for (const address of [
      `s3:${url}/${bucket}/${prefix}/${SITE.user}`,
      `sftp:storage:${path}/${SITE.user}`,
      `sftp://${user}@${host}:${port}/${path}/${SITE.user}`,
    ]) {
      await rescue.put('/root/repository', `${address}\n`, 0o600)
      await rescue.must(['rm', `/srv/www/${SITE.user}/public/wp-login.php`])
      const again = await rescue.must(argv, { env: { ...ENV, ...keys }, timeout_ms: 15 * MINUTES })
      expect([address, again]).toEqual([address, expect.stringContaining('example.test answers')])
      expect(await rescue.must(['bash', '-c', sums])).toBe(files)
    }
    for (const { sha256 } of Object.values(RESTIC)) {
      expect(await Bun.file(SCRIPT).text()).toContain(sha256)
    }
  },
  25 * MINUTES,
)

afterAll(() => lab.switchDown(), 5 * MINUTES)
