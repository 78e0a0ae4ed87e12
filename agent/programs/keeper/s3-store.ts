import { createHash } from 'node:crypto'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  type Bucket,
  deleteObject,
  listObjects,
  putObject,
  readObject,
  type S3Object,
} from '#agent/programs/keeper/s3/bucket.ts'
import { KEEPER_FOLDER } from '#shared/backups/backup-find.ts'
import { renderIni } from '#shared/kernel/formats/ini.ts'
import { FOLDERS, reportKey, type Store, type StoredFile } from './store.ts'

const NAME = /^[a-z_][a-z0-9_-]{0,31}$/
/** Larger ones are an index, which restic checks itself. */
const MAX_BYTES = 1 << 20

/**
 * Repositories in a bucket, with credentials of its owner, in a folder of root at `files`. Files are
 * read once, and not again while the bucket says that they have not changed.
 */
export function s3Store(host: Host, bucket: Bucket, files: string): Store {
  const { clock } = host
  const base = `${bucket.prefix}/`
  const keyOf = (repository: string, { folder, name }: Pick<StoredFile, 'folder' | 'name'>) =>
    `${base}${repository}/${folder}/${name}`
  const digestOf = async ({ key, size }: S3Object) => {
    if (size > MAX_BYTES) return undefined
    return createHash('sha256')
      .update(await readObject(clock, bucket, key))
      .digest('hex')
  }
  return {
    name: `s3:${bucket.bucket}/${bucket.prefix}`,
    async repositories() {
      const { prefixes } = await listObjects(clock, bucket, { prefix: base, delimiter: '/' })
      return prefixes
        .map((prefix) => prefix.slice(base.length, -1))
        .filter((name) => NAME.test(name))
    },
    async files(repository) {
      const found: StoredFile[] = []
      for (const folder of FOLDERS) {
        const prefix = `${base}${repository}/${folder}/`
        const { objects } = await listObjects(clock, bucket, { prefix })
        for (const object of objects) {
          const { key, size, at } = object
          const sha256 = await digestOf(object)
          found.push({ folder, name: key.slice(prefix.length), size, at, sha256 })
        }
      }
      return found
    },
    read: async (repository, file) =>
      (await readObject(clock, bucket, keyOf(repository, file))).toString('utf8'),
    takeOut: (repository, file) => deleteObject(clock, bucket, keyOf(repository, file)),
    removeDrafts: async () => undefined,
    async report(texts) {
      const prefix = `${base}${KEEPER_FOLDER}/keys/`
      const own = new Map(texts.map((text) => [`${prefix}${reportKey(text)}`, text]))
      for (const [key, text] of own) await putObject(clock, bucket, key, text)
      const { objects } = await listObjects(clock, bucket, { prefix })
      for (const { key } of objects) if (!own.has(key)) await deleteObject(clock, bucket, key)
    },
    async restic(repository) {
      const { user, secret, ca, url } = bucket
      const own = renderIni('default', { aws_access_key_id: user, aws_secret_access_key: secret })
      await host.files.write(`${files}/aws`, own, { mode: 0o600 })
      if (ca !== '') await host.files.write(`${files}/ca.pem`, ca)
      const trust = ca === '' ? [] : ['--cacert', `${files}/ca.pem`]
      return {
        launcher: [],
        options: [...trust, '-o', `s3.region=${bucket.region}`],
        env: {
          RESTIC_REPOSITORY: `s3:${url.replace(/\/$/, '')}/${bucket.bucket}/${base}${repository}`,
          RESTIC_CACHE_DIR: `${files}/cache`,
          AWS_SHARED_CREDENTIALS_FILE: `${files}/aws`,
        },
      }
    },
  }
}
