import type * as lab from '#tests/support/lab/index.ts'
import { quickenKeys, quickenObjects } from '#tests/support/storage/quick-keys.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import type { Target } from '#tests/support/storage/restic.ts'
import { startS3Server, WRITER } from '#tests/support/storage/s3.ts'
import { startSftpServer } from '#tests/support/storage/sftp.ts'
import { grow, onDisk, shrink } from './disk.ts'

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
  /** Once, when it has its repository. */
  prepare(repository: string, password: string): Promise<unknown>
  /** From now on it has no space for a backup. */
  fill(): Promise<unknown>
  empty(): Promise<unknown>
  /** The answer of a full one, as restic shows it. */
  full: RegExp
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
    return { kind: 'rest', host, service: 'rest', ...of, ...inFolder(host, `${folder}/shop`) }
  },
  async sftp() {
    const { host, folder, target } = await startSftpServer()
    const of = { target, keeper: target, full: /Failure|no space/i }
    return { kind: 'sftp', host, service: 'sftp', ...of, ...inFolder(host, folder) }
  },
  async s3() {
    const { host, target, request } = await startS3Server()
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
      async fill() {
        await quota('set', '--max-size=1M')
        await quota('enable')
      },
      empty: () => quota('disable'),
    }
  },
}

function inFolder(host: lab.Host, folder: string) {
  return {
    folder,
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
