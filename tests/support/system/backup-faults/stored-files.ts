import type { S3Request } from '#agent/programs/keeper/s3/bucket.ts'
import type { Host } from '#tests/support/lab/index.ts'
import type { S3Answer } from '#tests/support/storage/s3.ts'

export type Change = 'damage' | 'removal'

/** The files of one repository, as the owner of its storage sees them. */
export interface StoredFiles {
  list(): Promise<{ path: string; size: number }[]>
  /** Damages or removes files; the returned function puts them back. */
  spoil(paths: readonly string[], change: Change): Promise<() => Promise<unknown>>
}

const KEPT = '/srv/kept'
/** Where the content of a damaged file differs, and how. */
const AT = 60
const DAMAGED = 'damaged'

export const filesInFolder = (host: Host, folder: string): StoredFiles => ({
  async list() {
    const found = await host.must(['find', folder, '-type', 'f', '-printf', '%s %P\\n'])
    return found.split('\n').flatMap((line) => {
      const [size = '', path = ''] = line.split(' ')
      return path === '' ? [] : [{ path, size: Number(size) }]
    })
  },
  async spoil(paths, change) {
    const spoiled =
      change === 'removal'
        ? 'rm "$file"'
        : `chmod u+w "$file"; printf ${DAMAGED} | dd of="$file" bs=1 seek=${AT} conv=notrunc status=none`
    const script = `cd ${folder}; rm -rf ${KEPT}; mkdir ${KEPT}
      for file; do cp -a --parents "$file" ${KEPT}; ${spoiled}; done`
    await host.must(['bash', '-ec', script, 'spoil', ...paths])
    return () => host.must(['cp', '-a', '--remove-destination', `${KEPT}/.`, folder])
  },
})

/** Objects whose names begin with `prefix`; `bucket`: its name. */
export function filesInBucket(
  request: (asked: S3Request) => Promise<S3Answer>,
  bucket: string,
  prefix: string,
): StoredFiles {
  const copy = (from: string, to: string) => {
    const headers = { 'x-amz-copy-source': `/${bucket}/${from}` }
    return request({ method: 'PUT', url: `/${to}`, headers })
  }
  const damage = async (url: string) => {
    const { bytes } = await request({ method: 'GET', url })
    bytes.write(DAMAGED, AT)
    await request({ method: 'PUT', url, body: bytes })
  }
  return {
    async list() {
      const { body } = await request({
        ...{ method: 'GET', url: `?prefix=${encodeURIComponent(`${prefix}/`)}` },
      })
      const objects = body.matchAll(/<Key>([^<]+)<\/Key>.*?<Size>(\d+)<\/Size>/g)
      return [...objects].map(([, key = '', size]) => ({
        ...{ path: key.slice(prefix.length + 1), size: Number(size) },
      }))
    },
    async spoil(paths, change) {
      for (const path of paths) {
        const key = `${prefix}/${path}`
        await copy(key, `kept/${path}`)
        if (change === 'damage') await damage(`/${key}`)
        else await request({ method: 'DELETE', url: `/${key}` })
      }
      return async () => {
        for (const path of paths) await copy(`kept/${path}`, `${prefix}/${path}`)
      }
    },
  }
}
