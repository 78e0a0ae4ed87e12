import { readdir } from 'node:fs/promises'
import type { Host } from '#tests/support/lab/index.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import type { Target } from '#tests/support/storage/restic.ts'
import { OWNER, startS3Server } from '#tests/support/storage/s3.ts'
import { startSftpServer } from '#tests/support/storage/sftp.ts'

const NAME = 'hosting-dashboard'
const MEGABYTES = 200

/** A real storage server, and what happens to it. */
export interface Storage {
  host: Host
  target: Target
  /** The service that is killed and started again. */
  service: string
  /** The address of the repository, as the documentation has it. */
  repository: string
  /** The files of the repository below a folder of it, by name: what they contain. */
  read(folder: string): Promise<Map<string, Buffer>>
  fill(): Promise<unknown>
  empty(): Promise<unknown>
  /** The account may not use it any more, until it is admitted again. */
  revoke(): Promise<unknown>
  admit(): Promise<unknown>
  stop(): Promise<void>
}

export const STORAGES: Record<Target['place']['kind'], () => Promise<Storage>> = {
  async rest() {
    const { host, folder, target: of, stop } = await startRestServer({ megabytes: MEGABYTES })
    const target = of('shop')
    const accounts = await host.must(['cat', '/srv/htpasswd'])
    const accept = async (text: string) => {
      await host.put('/srv/htpasswd', text, 0o600)
      await host.must(['systemctl', 'restart', 'rest'])
    }
    const [, rest = ''] = target.place.url.split('://')
    return {
      ...{ host, target, service: 'rest', stop, ...onDisk(host, folder, `${folder}/shop`) },
      repository: `rest:https://${target.place.user}:${target.secret}@${rest}${NAME}/`,
      revoke: () => accept(''),
      admit: () => accept(accounts),
    }
  },
  async sftp() {
    const { host, folder, target, stop } = await startSftpServer({ megabytes: MEGABYTES })
    const { user, host: address, port, path } = target.place
    const keys = '/srv/sftp-etc/backups.keys'
    return {
      ...{ host, target, service: 'sftp', stop, ...onDisk(host, folder, folder) },
      repository: `sftp://${user}@${address}:${port}/${path}/${NAME}`,
      revoke: () => host.put(keys, ''),
      admit: () => host.must(['cp', '/srv/sftp-etc/client.pub', keys]),
    }
  },
  async s3() {
    const { host, target, request, stop } = await startS3Server()
    const { url, bucket, prefix } = target.place
    const admin = (...args: string[]) =>
      host.must(['radosgw-admin', '-n', 'client.rgw', ...args], { timeout_ms: 120_000 })
    /** It keeps accounts and their limits for minutes. */
    const changed = async (...args: string[]) => {
      await admin(...args)
      await host.must(['systemctl', 'restart', 's3'])
      await answering(() => request(OWNER, { method: 'GET', url: '' }))
    }
    const quota = ['--quota-scope=user', '--uid=owner']
    return {
      ...{ host, target, service: 's3', stop },
      repository: `s3:${url}/${bucket}/${prefix}/${NAME}`,
      async read(below) {
        const listing = `?prefix=${encodeURIComponent(`${prefix}/${NAME}/${below}`)}`
        const { body } = await request(OWNER, { method: 'GET', url: listing })
        const keys = [...body.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key)
        const files = new Map<string, Buffer>()
        for (const key of keys) {
          const object = await request(OWNER, { method: 'GET', url: `/${key}` })
          files.set(key, Buffer.from(object.body))
        }
        return files
      },
      async fill() {
        await admin('quota', 'set', ...quota, '--max-objects=1')
        await changed('quota', 'enable', ...quota)
      },
      empty: () => changed('quota', 'disable', ...quota),
      revoke: () => changed('user', 'suspend', '--uid=writer'),
      admit: () => changed('user', 'enable', '--uid=writer'),
    }
  },
}

/** A file system in memory, `folder`, with the repositories in `root`. */
function onDisk(host: Host, folder: string, root: string) {
  const resize = (size: string) => host.must(['mount', '-o', `remount,size=${size}`, folder])
  return {
    async read(below: string) {
      const files = new Map<string, Buffer>()
      const at = `${root}/${NAME}/${below}`
      const list = await host.exec(['find', at, '-type', 'f', '-print0'])
      for (const path of list.stdout.split('\0').filter(Boolean)) {
        const text = await host.must(['base64', '--wrap=0', path])
        files.set(path, Buffer.from(text, 'base64'))
      }
      return files
    },
    async fill() {
      const [, used] = (await host.must(['df', '--output=used', folder])).split('\n')
      await resize(`${Number(used) + 8}k`)
    },
    empty: () => resize(`${MEGABYTES}m`),
  }
}

async function answering(ask: () => Promise<{ status: number }>): Promise<void> {
  for (;;) {
    const status = await ask().then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 200) return
    await Bun.sleep(50)
  }
}

/** The names in a folder of this machine, sorted. */
export const namesIn = async (folder: string) => (await readdir(folder)).sort()
