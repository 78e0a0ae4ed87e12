import { type Bucket, listObjects, readObject } from '#agent/programs/keeper/s3/bucket.ts'
import { eachKeys, isKeyName, MAX_BYTES, MAX_KEYS, type StorageReader } from './reader.ts'

const CLOCK = { now: () => Date.now() }

/** Repositories in a bucket. */
export function s3Reader(bucket: Bucket): StorageReader {
  const base = `${bucket.prefix}/`
  return {
    async folders() {
      const { prefixes } = await listObjects(CLOCK, bucket, { prefix: base, delimiter: '/' })
      return prefixes.map((prefix) => prefix.slice(base.length, -1))
    },
    keys: (repositories) =>
      eachKeys(repositories, async (repository) => {
        const prefix = `${base}${repository}/keys/`
        const { objects } = await listObjects(CLOCK, bucket, { prefix })
        const small = objects.filter(
          ({ key, size }) => isKeyName(key.slice(prefix.length)) && size <= MAX_BYTES,
        )
        const texts: string[] = []
        for (const { key } of small.slice(0, MAX_KEYS)) {
          texts.push((await readObject(CLOCK, bucket, key)).toString('utf8'))
        }
        return texts
      }),
  }
}
