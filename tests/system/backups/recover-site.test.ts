// tier: gate, interrupts
import { afterAll, expect } from 'bun:test'
import { RESTIC } from '#shared/kernel/source.ts'
import { kit } from '#tests/support/agent/backup.ts'
import { tellingPart } from '#tests/support/canary.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import { installRestic } from '#tests/support/storage/restic.ts'
import { startS3Server, WRITER } from '#tests/support/storage/s3.ts'
import { startSftpServer } from '#tests/support/storage/sftp.ts'
import { BackupHost, SITE } from '#tests/support/system/backup-host.ts'
import { tablesOf } from '#tests/support/system/histories/table-state.ts'
import { foundDuring } from '#tests/support/system/keeper-secrets.ts'
import { resticOf } from '#tests/support/system/thief.ts'

const MINUTES = 60_000
const SCRIPT = 'scripts/recover-site.sh'
const PUBLIC = `/srv/www/${SITE.user}/public`
const SUMS = `cd ${PUBLIC} && find . -type f -print0 | sort -z | xargs -0 sha256sum`
const KEYS = { AWS_ACCESS_KEY_ID: WRITER.key, AWS_SECRET_ACCESS_KEY: WRITER.secret }
const ENV = { PATH: '/root/restic/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', ...KEYS }

/** Without the options, which WordPress writes with the first visit. */
async function stateOf(host: lab.Host) {
  const tables = [...(await tablesOf(host, SITE.user))]
  return {
    files: await host.must(['bash', '-c', SUMS]),
    tables: tables.filter(([name]) => !name.endsWith('_options')),
  }
}

/** What the command prints. */
async function recover(host: lab.Host, address: string, ca = ''): Promise<string> {
  await host.put('/root/repository', `${address}\n`, 0o600)
  await host.put('/root/ca.pem', ca)
  const given = ['--kit', 'kit.pem', '--repository', 'repository', ...(ca && ['--ca', 'ca.pem'])]
  const argv = ['env', '--chdir=/root', 'sh', 'recover-site.sh', ...given]
  return host.must(argv, { env: ENV, timeout_ms: 15 * MINUTES })
}

/** Removes all of the recovered site from the machine, but none of the packages. */
async function remove(host: lab.Host): Promise<void> {
  const { user } = SITE
  const script = `rm /etc/php/*/fpm/pool.d/${user}.conf /etc/nginx/sites-enabled/${user}.conf
    rm -r /etc/ssl/recovered; systemctl stop 'php*-fpm.service'
    mariadb -e 'DROP DATABASE ${user}; DROP USER ${user}@localhost'
    gpasswd --delete www-data ${user}; userdel ${user}; rm -r /srv/www`
  await host.must(['bash', '-ec', script])
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
    const rest = (await startRestServer()).target('shop')
    const [s3, sftp] = [(await startS3Server()).target, (await startSftpServer()).target]
    server.target = rest
    const { repository, password } = await server.save()
    for (const target of [s3, sftp]) {
      server.target = target
      await server.completed('backup.create', server.saving)
    }
    const saved = await stateOf(server.host)
    const config = await server.host.must(['cat', `${PUBLIC}/wp-config.php`])
    await server.host.remove()

    const rescue = await lab.startHost({ name: 'rescue', suite: 'trixie', init: 'systemd' })
    await installRestic(rescue)
    // By somebody in control of the server: the storage only adds.
    const stolen = { ...rest, repository, password }
    const forged = ['backup', '--time', '2099-01-01 00:00:00', '--tag', 'manifest']
    const text = ['--stdin-filename', 'manifest.json', '--stdin-from-command', '--', 'echo', '{}']
    await resticOf(rescue, stolen, [...forged, ...text])
    await rescue.must(['rm', '-r', '/root/stolen'])
    await rescue.put('/root/kit.pem', kit.privateKey, 0o600)
    await rescue.put('/root/recover-site.sh', await Bun.file(SCRIPT).text())
    const address = rest.place.url.replace('://', `://${rest.place.user}:${rest.secret}@`)
    const [, database = ''] = /'DB_PASSWORD', *'([^']+)'/.exec(config) ?? []
    const secrets = [tellingPart(kit.privateKey), password, rest.secret, database]
    let said = ''
    const found = await foundDuring(rescue, secrets, async () => {
      said = await recover(rescue, `rest:${address}${SITE.user}/`, rest.place.ca)
    })

    console.log(said)
    expect(await stateOf(rescue)).toEqual(saved)
    const files = ['/root/kit.pem', '/root/repository', `${PUBLIC}/wp-config.php`]
    expect([found, secrets.filter((secret) => said.includes(secret))]).toEqual([files, []])
    expect(said).toMatch(/\[\d+ s\] shop\.example\.test answers\. Backup of 20\d\d-/)
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

    // From the bucket, and from the account: nothing is copied by hand.
    const { bucket, prefix, url, ca } = s3.place
    const { host, port, user, path, host_key } = sftp.place
    await rescue.put('/root/.ssh/id_ed25519', sftp.secret, 0o600)
    await rescue.put('/root/.ssh/known_hosts', `[${host}]:${port} ${host_key}\n`)
    const ssh = `Host storage\n  HostName ${host}\n  Port ${port}\n  User ${user}\n`
    await rescue.put('/root/.ssh/config', ssh, 0o600)
    for (const [from, authority] of [
      [`s3:${url}/${bucket}/${prefix}/${SITE.user}`, ca],
      [`sftp:storage:${path}/${SITE.user}`],
      [`sftp://${user}@${host}:${port}/${path}/${SITE.user}`],
    ] as const) {
      await remove(rescue)
      const again = await recover(rescue, from, authority)
      expect([from, again]).toEqual([from, expect.stringContaining('example.test answers')])
      expect([from, await stateOf(rescue)]).toEqual([from, saved])
    }
    // It can be run again.
    await rescue.must(['rm', `${PUBLIC}/wp-login.php`])
    await recover(rescue, `sftp:storage:${path}/${SITE.user}`)
    expect(await stateOf(rescue)).toEqual(saved)
    for (const { sha256 } of Object.values(RESTIC)) {
      expect(await Bun.file(SCRIPT).text()).toContain(sha256)
    }
  },
  25 * MINUTES,
)

afterAll(() => lab.switchDown(), 5 * MINUTES)
