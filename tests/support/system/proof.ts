import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import type * as lab from '#tests/support/lab/index.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { quickenKeys } from '#tests/support/storage/quick-keys.ts'
import { type LocalTarget, putRestic } from '#tests/support/storage/restic.ts'
import { ENVIRONMENT, startMachine } from './machine.ts'
import { shopOf, withShop } from './prepared.ts'
import { testProgram } from './test-program.ts'

const MINUTES = 60_000
export const SITE = shopOf('trixie')
export const PUBLIC = `/srv/www/${SITE.user}/public`
/** A folder of the server. */
export const LOCAL: LocalTarget = { place: { kind: 'local', path: '/mnt/store' }, secret: '' }

/** A server with a site, and commands of the agent on it, in one process each. */
export class ProofWorld {
  readonly host: lab.Host
  password = ''
  target: object = LOCAL

  private constructor(host: lab.Host) {
    this.host = host
  }

  static async start(name: string): Promise<ProofWorld> {
    const program = await testProgram('tests/support/system/faulty-agent.ts')
    const host = await startMachine(
      { name, suite: 'trixie', init: 'systemd', image: await withShop('trixie') },
      { program, mirror: await wordpressMirror(), serve: false },
    )
    await putRestic(host)
    await host.must(['mkdir', '-m', '0700', '/mnt/store'])
    return new ProofWorld(host)
  }

  /** `more`: settings of the agent. */
  async run(command: string, params: object, fault = 'none', more = {}) {
    const argv = ['/usr/local/bin/hosting-agent', command, fault, JSON.stringify(params)]
    const answer = await this.host.must(argv, {
      ...{ env: { ...ENVIRONMENT, ...more }, timeout_ms: 30 * MINUTES },
    })
    return JSON.parse(answer)
  }

  async completed(command: string, params: object) {
    const { event, data } = (await this.run(command, params)).outcome
    if (event !== 'complete') throw new Error(`${command}: ${JSON.stringify(data)}`)
    return data
  }

  /** Backs the site up, and returns the backup. */
  async backUp(): Promise<string> {
    const data = await this.completed('backup.create', this.saving)
    this.password = opened(dashboard.privateKey, data.sealed_password)
    if (this.target === LOCAL) await this.quicken(`${this.host.root}/mnt/store`)
    return data.backup.id
  }

  /** The folder of repositories, as this machine sees it. */
  quicken(folder: string): Promise<void> {
    return quickenKeys(`${folder}/${SITE.user}`, this.password)
  }

  get saving() {
    const keys = { dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey }
    return { domain: SITE.domain, target: this.target, repository: SITE.user, ...keys }
  }

  paramsOf(backup: string) {
    const { domain, user: repository } = SITE
    return { domain, target: this.target, repository, ...openedBy(this.password), backup }
  }

  async prove(backup: string) {
    return (await this.completed('backup.prove', this.paramsOf(backup))).proof
  }

  /** Runs restic on the repository of the site. */
  restic(...args: string[]): Promise<string> {
    const script = 'restic --password-file <(printf %s "$PASSWORD") -r /mnt/store/"$0" "$@"'
    return this.host.must(['bash', '-ec', script, SITE.user, ...args], {
      env: this.#environment(),
      timeout_ms: 30 * MINUTES,
    })
  }

  /** A snapshot of a manifest, as the last step of a backup saves it. */
  async saveManifest(manifest: object): Promise<string> {
    const input = JSON.stringify(manifest)
    await this.host.put('/tmp/manifest.json', input)
    const script = `restic --password-file <(printf %s "$PASSWORD") -r /mnt/store/${SITE.user} \\
      backup --json --stdin --stdin-filename manifest.json < /tmp/manifest.json`
    const lines = await this.host.must(['bash', '-ec', script], { env: this.#environment() })
    return JSON.parse(lines.trim().split('\n').at(-1) ?? '').snapshot_id
  }

  /** The MD5 list of the WordPress of the site, and no copy of it in the cache of the agent. */
  async publish(): Promise<void> {
    const script = `mkdir -p /srv/checksums; cd /var/lib/hosting-agent/cache/wordpress/*.*/
      version=$(basename "$PWD")
      find . -type f -printf '%P\\n' | sort | xargs -d '\\n' md5sum |
        sed -E 's/^([0-9a-f]{32})  (.*)$/"\\2": "\\1"/' | paste -sd, |
        sed 's/.*/{"checksums":{&}}/' > /srv/checksums/$version-en_US.json
      mv "$PWD" /srv/copy-$version`
    await this.host.must(['bash', '-ec', script])
  }

  /** The opposite of `publish`. */
  async unpublish(): Promise<void> {
    const script = `rm -r /srv/checksums; cd /srv; for copy in copy-*; do
      mv $copy /var/lib/hosting-agent/cache/wordpress/\${copy#copy-}; done`
    await this.host.must(['bash', '-ec', script])
  }

  /** Owners, modes, sizes and times of all files of the site, and its rows. */
  async state(): Promise<string[]> {
    const files = ['find', PUBLIC, '-printf', '%P %y %U %G %m %s %T@\\n']
    const names = (await this.sql('SHOW TABLES')).trim().split('\n')
    const tables = names.filter((name) => !name.endsWith('_options'))
    const sums = await this.sql(`CHECKSUM TABLE ${tables.join(', ')}`)
    const isOwn = (line: string) => !/^(reached\.txt| )/.test(line)
    return [...(await this.host.must(files)).split('\n').sort().filter(isOwn), sums]
  }

  #environment() {
    return { PASSWORD: this.password, RESTIC_CACHE_DIR: '/tmp/cache', PATH: RESTIC_PATH }
  }

  sql(text: string): Promise<string> {
    return this.host.must(['mariadb', SITE.user, '-N', '-e', text], { timeout_ms: 30 * MINUTES })
  }

  /** Everything on the server that has the name of a hidden site. */
  async left(): Promise<string[]> {
    const folders = ['/etc', '/srv/www', '/var/lib', '/run', '/var/log', '/var/cache', '/tmp']
    const script = `find ${folders.join(' ')} -name '*proof-*' 2>/dev/null
      getent passwd; getent group
      mariadb -N -e 'SHOW DATABASES; SELECT user FROM mysql.global_priv'
      systemctl list-units --all --plain --no-legend
      ps -eo user:32,args; ls -A /srv/www/.restore`
    const { stdout } = await this.host.exec(['bash', '-c', script])
    return stdout.split('\n').filter((line) => /proof-[a-z]/.test(line))
  }
}

const RESTIC_PATH = '/var/lib/hosting-agent/bin:/usr/bin:/bin'
