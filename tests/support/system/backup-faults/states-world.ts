import * as lab from '#tests/support/lab/index.ts'
import {
  installRestic,
  type LocalTarget,
  restic,
  type Target,
} from '#tests/support/storage/restic.ts'
import { LOCAL, ProofWorld, SITE } from '#tests/support/system/proof.ts'
import type { State } from './states.ts'
import { STORAGES, type StorageKind } from './storages.ts'
import { filesInFolder, type StoredFiles } from './stored-files.ts'

export const WORKS = ['restore', 'prove', 'create'] as const
export type Work = (typeof WORKS)[number]

const CACHES = '/var/lib/hosting-agent/cache/restic'
const OWN = '/root/restic/own'

/** A site whose last backup is proven, in a storage of this kind. */
export class StatesWorld {
  readonly server: ProofWorld
  readonly #files: StoredFiles
  readonly #keeper: Target | LocalTarget
  backup = ''

  private constructor(server: ProofWorld, files: StoredFiles, keeper: Target | LocalTarget) {
    this.server = server
    this.#files = files
    this.#keeper = keeper
  }

  static async start(kind: StorageKind | 'local'): Promise<StatesWorld> {
    const server = await ProofWorld.start('states')
    await installRestic(server.host)
    const storage = kind === 'local' ? undefined : await STORAGES[kind]()
    if (storage) server.target = storage.target
    const local = filesInFolder(server.host, `${LOCAL.place.path}/${SITE.user}`)
    const files = storage?.filesOf(SITE.user) ?? local
    const world = new StatesWorld(server, files, storage?.keeper ?? LOCAL)
    await server.backUp()
    await storage?.prepare(SITE.user, server.password)
    world.backup = await server.backUp()
    await server.prove(world.backup)
    return world
  }

  async ended(work: Work, changed: object = {}, settings: object = {}) {
    const { server, backup } = this
    const params = {
      create: server.saving,
      prove: server.paramsOf(backup),
      restore: { ...server.paramsOf(backup), parts: { files: true, database: true } },
    }
    const all = { ...params[work], ...changed }
    const { event, data } = (await server.run(`backup.${work}`, all, 'none', settings)).outcome
    return { event, data }
  }

  /** Runs restic with the rights of the storage's owner. */
  async restic(...args: readonly string[]): Promise<string> {
    const { host, password } = this.server
    await host.put(OWN, `${password}\n`, 0o600)
    const all = ['--password-file', OWN, ...args]
    const { code, stdout, stderr } = await restic(host, this.#keeper, SITE.user, all)
    if (code !== 0) throw new Error(`restic ${args[0]} ended with ${code}: ${stderr}`)
    return stdout
  }

  async manifests(): Promise<{ id: string }[]> {
    return JSON.parse(await this.restic('snapshots', '--json', '--no-lock', '--tag', 'manifest'))
  }

  /** The site, the secrets of the storage, and whatever a hidden site or a restore left. */
  async everything() {
    const script = 'find /var/lib/hosting-agent/backups /srv/www/.restore -mindepth 2'
    const { stdout } = await this.server.host.exec(['bash', '-c', script])
    const left = [...(await this.server.left()), ...stdout.trim().split('\n').sort()]
    return { state: await this.server.state(), left }
  }

  /** Damages or removes files of the repository; the returned function puts these files back. */
  async spoil(files: ReturnType<State['files']>, change: State['change']) {
    await this.server.host.must(['bash', '-c', `rm -rf ${CACHES}/*`])
    const chosen = (await this.#files.list()).filter(files).map(({ path }) => path)
    if (chosen.length === 0) throw new Error('The repository has no such file')
    return this.#files.spoil(chosen, change)
  }

  /** Locks the repository as its owner does, until the returned function is called. */
  async lock(): Promise<() => Promise<unknown>> {
    const check = ['check', '--read-data', '--limit-download', '50']
    const checking = this.restic(...check).catch(() => undefined)
    const isLocked = async () =>
      (await this.#files.list()).some(({ path }) => path.startsWith('locks/'))
    await lab.poll(isLocked, { every_ms: 50 })
    return async () => {
      await this.server.host.must(['pkill', '--signal=KILL', '--full', check.join(' ')])
      await checking
      await this.restic('unlock', '--remove-all')
    }
  }
}
