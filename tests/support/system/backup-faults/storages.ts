import type * as lab from '#tests/support/lab/index.ts'
import { quickenKeys, quickenObjects } from '#tests/support/storage/quick-keys.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import type { Target } from '#tests/support/storage/restic.ts'
import { startS3Server, WRITER } from '#tests/support/storage/s3.ts'
import { startSftpServer } from '#tests/support/storage/sftp.ts'
import { grow, onDisk, shrink } from './disk.ts'
import { filesInBucket, filesInFolder, type StoredFiles } from './stored-files.ts'

/** A storage with one repository, and the ways in which it fails. */
export interface FaultyStorage {
  kind: StorageKind
  host: lab.Host
  service: string
  target: Target
  /** With the rights of its owner. */
  keeper: Target
  /** Where its repositories are; undefined: in no folder. */
  folder?: string
  /** Returns access to the stored files of a repository. */
  filesOf(repository: string): StoredFiles
  /** Once, when it has its repository. */
  prepare(repository: string, password: string): Promise<unknown>
  /** From now on the storage has no repository, until `back` is called. */
  emptied(repository: string): Promise<Emptied>
  /** From now on it has no space for a backup. */
  fill(): Promise<unknown>
  empty(): Promise<unknown>
  /** The answer of a full one, as restic shows it. */
  full: RegExp
}

interface Emptied {
  target: Target
  back(): Promise<unknown>
}

export type StorageKind = 'rest' | 'sftp' | 's3'

export const STORAGES: Record<StorageKind, () => Promise<FaultyStorage>> = {
  async rest() {
    const { host, folder, target, keeper } = await startRestServer()
    const of = {
      target: target('shop'),
      keeper: keeper('shop'),
      full: /^The storage has no space left: .*507/,
    }
    return { kind: 'rest', host, service: 'rest', ...of, ...inFolder(host, `${folder}/shop`, of) }
  },
  async sftp() {
    const { host, folder, target } = await startSftpServer()
    const of = { target, keeper: target, full: /Failure|^The storage has no space left: / }
    return { kind: 'sftp', host, service: 'sftp', ...of, ...inFolder(host, folder, of) }
  },
  async s3() {
    const { host, target, request } = await startS3Server()
    let emptied = 0
    const quota = (...words: string[]) => {
      const argv = ['radosgw-admin', '-n', 'client.rgw', 'quota', ...words]
      return host.must([...argv, '--quota-scope=bucket', '--bucket=backups'])
    }
    return {
      ...{
        kind: 's3',
        host,
        service: 's3',
        target,
        keeper: target,
        full: /^The storage has no space left: .*QuotaExceeded/,
      },
      prepare: (repository, password) =>
        quickenObjects((asked) => request(WRITER, asked), `sites/${repository}/keys`, password),
      filesOf: (repository) =>
        filesInBucket((asked) => request(WRITER, asked), 'backups', `sites/${repository}`),
      async emptied() {
        emptied += 1
        const prefix = `empty-${emptied}`
        return {
          target: { ...target, place: { ...target.place, prefix } },
          back: async () => undefined,
        }
      },
      async fill() {
        await quota('set', '--max-size=1M')
        await quota('enable')
      },
      empty: () => quota('disable'),
    }
  },
}

function inFolder(host: lab.Host, folder: string, { target }: Pick<FaultyStorage, 'target'>) {
  return {
    folder,
    filesOf: (repository: string) => filesInFolder(host, `${folder}/${repository}`),
    async emptied(repository: string) {
      const [path, former] = [`${folder}/${repository}`, `${folder}/former`]
      await host.must(['mv', path, former])
      return {
        target,
        back: () => host.must(['bash', '-ec', `rm -rf ${path} ${path}-2; mv ${former} ${path}`]),
      }
    },
    /** The repository gets quick keys, and a disk that can be filled. */
    async prepare(repository: string, password: string) {
      await quickenKeys(`${host.root}${folder}/${repository}`, password)
      await host.must(['chown', '--recursive', `--reference=${folder}`, folder])
      await onDisk(host, folder)
    },
    fill: () => shrink(host, folder, 2048),
    empty: () => grow(host, folder),
  }
}
