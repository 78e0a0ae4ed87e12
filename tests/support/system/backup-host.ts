import * as fs from 'node:fs'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import type * as lab from '#tests/support/lab/index.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { quickenKeys } from '#tests/support/storage/quick-keys.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { tablesOf } from '#tests/support/system/histories/table-state.ts'
import type { Site } from '#tests/support/system/histories/tree.ts'
import { treeOf } from '#tests/support/system/histories/tree-state.ts'
import { ENVIRONMENT, startMachine } from './machine.ts'
import { SHOP, withShop } from './prepared.ts'
import { testProgram } from './test-program.ts'

const MINUTES = 60_000

export const SITE = SHOP
export type Parts = { files: boolean; database: boolean }
export interface Saved {
  id: string
  repository: string
  password: string
}
export interface Ended {
  event: 'complete' | 'error' | 'refused' | 'killed'
  data: Record<string, unknown> & { message?: string }
  /** The arguments of each restic. */
  restics: string[]
}

const KILLED = 128 + 9

/** A server with one site, whose agent runs one command at a time and can fail at any call. */
export class BackupHost {
  readonly host: lab.Host
  /** The document root, as this machine sees it. */
  readonly root: Buffer
  target: object = { place: { kind: 'local', path: '/mnt/store' }, secret: '' }

  private constructor(host: lab.Host) {
    this.host = host
    this.root = Buffer.from(`${host.root}/srv/www/${SITE.user}/public`)
  }

  static async start(name: string, suite: 'bookworm' | 'trixie' = 'trixie'): Promise<BackupHost> {
    const program = await testProgram('tests/support/system/faulty-agent.ts')
    const host = await startMachine(
      { name, suite, init: 'systemd', image: await withShop(suite) },
      { program, mirror: await wordpressMirror(), serve: false },
    )
    await putRestic(host)
    await host.must(['install', '-d', '-m', '0700', '/mnt/store'])
    return new BackupHost(host)
  }

  /** The last event; `fault` names a step and its n-th call, which fails; `more`: settings of the agent. */
  async run(command: string, params: object, fault = 'none', more = {}): Promise<Ended> {
    const env = { ...ENVIRONMENT, ...more }
    const argv = ['/usr/local/bin/hosting-agent', command, fault, JSON.stringify(params)]
    const { code, stdout, stderr } = await this.host.exec(argv, { env, timeout_ms: 20 * MINUTES })
    if (code === KILLED) return { event: 'killed', data: {}, restics: [] }
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr}`)
    const { outcome, restics } = JSON.parse(stdout)
    return { ...outcome, restics }
  }

  async completed(command: string, params: object): Promise<Ended['data']> {
    const { event, data } = await this.run(command, params)
    if (event !== 'complete') throw new Error(`${command}: ${JSON.stringify(data)}`)
    return data
  }

  get saving(): object {
    const keys = { dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey }
    return { domain: SITE.domain, target: this.target, repository: SITE.user, ...keys }
  }

  async save(): Promise<Saved> {
    const done = await this.completed('backup.create', this.saving)
    const { id, repository } = done.backup as Saved
    return { id, repository, password: opened(dashboard.privateKey, String(done.sealed_password)) }
  }

  /** Opens the repository of the site quickly from now on: it takes most of the time of restic. */
  async quicken(): Promise<void> {
    const { repository, password } = await this.save()
    await quickenKeys(`${this.host.root}/mnt/store/${repository}`, password)
  }

  restoring({ id, repository, password }: Saved, parts: Parts): object {
    const opened = { target: this.target, repository, ...openedBy(password) }
    return { domain: SITE.domain, ...opened, backup: id, parts }
  }

  /** Nothing of WordPress remains, whose jobs would change rows on their own. */
  async empty(): Promise<void> {
    for (const name of fs.readdirSync(this.root, { encoding: 'buffer' })) {
      const path = Buffer.concat([this.root, Buffer.from('/'), name])
      fs.rmSync(path, { recursive: true })
    }
    const list = `SELECT CONCAT('DROP TABLE IF EXISTS \`', REPLACE(TABLE_NAME, '\`', '\`\`'), '\`;')
      FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()`
    const client = ['mariadb', '--skip-column-names', '--raw', SITE.user]
    const input = await this.host.must(client, { input: list })
    await this.host.must(['mariadb', '--force', SITE.user], { input })
  }

  site(): Site & { database: string } {
    const { uid, gid } = fs.statSync(this.root)
    return { root: this.root, uid, gid, database: SITE.user }
  }

  /** Writes a file of the site to its document root: a restore and its undo give all files to it. */
  write(name: string, content: string | Uint8Array): void {
    const path = Buffer.concat([this.root, Buffer.from(`/${name}`)])
    const { uid, gid } = this.site()
    fs.writeFileSync(path, content)
    fs.chownSync(path, uid, gid)
  }

  /** All files and all rows. */
  async state() {
    return { files: treeOf(this.root), database: await tablesOf(this.host, SITE.user) }
  }
}
