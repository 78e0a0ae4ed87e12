import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { openedBy } from '#tests/support/repository-password.ts'
import { installRestic, restic, type Target } from '#tests/support/storage/restic.ts'
import { BackupHost, type Saved, SITE } from '#tests/support/system/backup-host.ts'
import { differences } from '#tests/support/system/histories/tree-state.ts'
import { type FaultyStorage, STORAGES, type StorageKind } from './storages.ts'

const KEPT = '/var/lib/hosting-agent/backups'
/** Secrets and files that an operation uses meanwhile, and whether the site runs. */
const LEFT = `find /srv/www/.restore ${KEPT} -mindepth 2 ! -name creating ! -path '*/passwords/*'
  systemctl is-active 'hosting-cron@*.timer' 'hosting-fpm@*.socket'`

const IMPATIENT = { AGENT_RESTIC_STALL: '6' }

export type Everything = Awaited<ReturnType<FaultyWorld['everything']>>

/** A site that was backed up to a storage of its own, and changed after that. */
export class FaultyWorld {
  readonly server: BackupHost
  readonly storage: FaultyStorage
  readonly saved: Saved
  #later: Promise<unknown> = Promise.resolve()

  private constructor(server: BackupHost, storage: FaultyStorage, saved: Saved) {
    this.server = server
    this.storage = storage
    this.saved = saved
  }

  static async start(kind: StorageKind = 'rest'): Promise<FaultyWorld> {
    const server = await BackupHost.start('faults')
    await installRestic(server.host)
    const storage = await STORAGES[kind]()
    server.target = storage.target
    await server.empty()
    const sql = (input: string) => server.host.must(['mariadb', SITE.user], { input })
    server.write('index.html', 'as saved')
    renew(server)
    await sql(`CREATE TABLE a (id INT PRIMARY KEY, b LONGBLOB); INSERT INTO a VALUES (1, 'saved')`)
    const saved = await server.save()
    await storage.prepare(saved.repository, saved.password)
    server.write('index.html', 'changed')
    await sql(`UPDATE a SET b = 'changed'; CREATE TABLE c (d INT)`)
    return new FaultyWorld(server, storage, saved)
  }

  /** New content of 30 MB, so that each backup has something to send. */
  renewed = () => renew(this.server)

  /** With a password that the server does not use; default: the one that it keeps. */
  create = ({ password, ...into }: Partial<Pick<Saved, 'password' | 'repository'>> = {}) =>
    this.server.run('backup.create', {
      ...this.server.saving,
      ...into,
      ...(password !== undefined && openedBy(password)),
    })

  /** The password that the server keeps for a repository. */
  passwordOf = async (repository: string) =>
    (await this.server.host.must(['cat', `${KEPT}/${SITE.user}/passwords/${repository}`])).trim()

  restore = (changed: Partial<Saved> = {}) => {
    const parts = { files: true, database: true }
    const params = this.server.restoring({ ...this.saved, ...changed }, parts)
    return this.server.run('backup.restore', params)
  }

  /** Operations whose restic may stand still for some seconds only. */
  impatient = {
    create: () => this.server.run('backup.create', this.server.saving, 'none', IMPATIENT),
    restore: () => {
      const params = this.server.restoring(this.saved, { files: true, database: true })
      return this.server.run('backup.restore', params, 'none', IMPATIENT)
    },
  }

  /** The end of a fault, which need not wait for the operation. */
  later(ms: number, work: () => Promise<unknown>): void {
    this.#later = Bun.sleep(ms).then(work)
  }

  /** Waits until the fault is over, also if the operation ended before. */
  healed = () => this.#later

  undo = () => this.server.completed('backup.undo', { domain: SITE.domain })

  /** Runs restic with the rights of the storage's owner. */
  keeper = (...args: string[]) => this.#restic(this.storage.keeper, this.saved, ...args)

  /** The snapshots of a repository. */
  async read(target: Target, repository: Pick<Saved, 'repository' | 'password'>) {
    const listed = await this.#restic(target, repository, 'snapshots', '--json', '--no-lock')
    return z.array(z.unknown()).parse(JSON.parse(listed.stdout))
  }

  async #restic(
    target: Target,
    { password, repository }: Pick<Saved, 'repository' | 'password'>,
    ...args: string[]
  ) {
    await this.server.host.put('/root/restic/own', `${password}\n`, 0o600)
    const own = ['--password-file', '/root/restic/own', ...args]
    return restic(this.server.host, target, repository, own)
  }

  /** The complete backups, by their IDs. */
  async manifests(): Promise<string[]> {
    const listed = await this.keeper('snapshots', '--json', '--no-lock', '--tag', 'manifest')
    return JSON.parse(listed.stdout).map(({ id }: { id: string }) => id)
  }

  async everything() {
    const { stdout } = await this.server.host.exec(['bash', '-c', LEFT])
    return { ...(await this.server.state()), left: stdout }
  }

  /** Returns what is not as it was. */
  async changes(before: Everything): Promise<string[]> {
    const after = await this.everything()
    return [
      ...differences(after.files, before.files),
      ...differences(after.database, before.database),
      ...(after.left === before.left ? [] : [`left: ${after.left}`]),
    ]
  }
}

const renew = (server: BackupHost) => server.write('large', randomBytes(30 * 2 ** 20))
