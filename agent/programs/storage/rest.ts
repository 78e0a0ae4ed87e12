import { Buffer } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { request } from 'node:https'
import { z } from 'zod'
import type { BackupPlace } from '#shared/backups/backup.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { StorageFault } from './fault.ts'
import { eachKeys, isKeyName, MAX_BYTES, MAX_KEYS, type StorageReader } from './reader.ts'

type RestPlace = Extract<BackupPlace, { kind: 'rest' }>

const MAX_LIST = 1 << 20
const TIMEOUT_MS = 60_000
/** The list of the REST protocol of restic, version 2: names with sizes. */
const LIST = 'application/vnd.x.restic.rest.v2'
const Listed = z.array(z.object({ name: z.string(), size: z.number() }))

/** A REST server lists the files of a repository, and no repositories. */
export function restReader(place: RestPlace, secret: Secret): StorageReader {
  const base = place.url.replace(/\/+$/, '')
  return {
    folders: async () => undefined,
    keys: (repositories) =>
      eachKeys(repositories, async (repository) => {
        const folder = `${base}/${repository}/keys/`
        const list = await get(place, secret, folder, MAX_LIST)
        const files = parseJson(Listed, list) ?? []
        const small = files.filter(({ name, size }) => isKeyName(name) && size <= MAX_BYTES)
        const texts: string[] = []
        for (const { name } of small.slice(0, MAX_KEYS)) {
          texts.push((await get(place, secret, `${folder}${name}`, MAX_BYTES)) ?? '')
        }
        return texts
      }),
  }
}

/** Undefined for a missing file or repository. `most`: the bytes of the answer. */
async function get(
  { user, ca }: RestPlace,
  secret: Secret,
  url: string,
  most: number,
): Promise<string | undefined> {
  const auth = `${user}:${secret.reveal()}`
  const trust = ca === '' ? {} : { ca }
  const options = { auth, headers: { accept: LIST }, timeout: TIMEOUT_MS, ...trust }
  const { status, text } = await new Promise<{ status: number; text: string }>(
    (resolve, reject) => {
      const sent = request(url, options, (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > most) sent.destroy(new Error('The answer of the server is too long'))
          else chunks.push(chunk)
        })
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        )
      })
      sent.on('error', reject)
      sent.on('timeout', () => sent.destroy(new Error('The server does not answer')))
      sent.end()
    },
  )
  if (status === 200) return text
  if (status === 404) return undefined
  const field = status === 401 ? 'secret' : 'url'
  throw new StorageFault(
    field,
    `The server answered ${status} ${STATUS_CODES[status] ?? ''}`.trim(),
  )
}
