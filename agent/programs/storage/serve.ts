import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { STATUS_CODES } from 'node:http'
import { request } from 'node:https'
import { z } from 'zod'
import { type StorageAnswer, StorageRequest } from '#agent/features/backups/storage/answer.ts'
import { type Bucket, listObjects, readObject } from '#agent/programs/keeper/s3/bucket.ts'
import { type BackupPlace, StorageFolder } from '#shared/backups/backup.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { fieldOf, StorageFault } from './fault.ts'
import { eachKeys, isKeyName, MAX_BYTES, MAX_KEYS, type StorageReader } from './reader.ts'
import { sftpReader } from './sftp.ts'

const STDIN = 0

/**
 * `hosting-agent storage`: reads a request from standard input, and prints what the folders of keys
 * of a storage contain. Runs in a sandbox, since anybody may have written there.
 */
export async function storage(): Promise<string> {
  const request = StorageRequest.parse(JSON.parse(readFileSync(STDIN, 'utf8')))
  const answer: StorageAnswer = await answerOf(request).catch((error: unknown) => ({
    error: withoutSecret(messageOf(error), request.target.secret.reveal()),
    field: fieldOf(error, request.target.place.kind),
  }))
  return JSON.stringify(answer)
}

async function answerOf(request: StorageRequest): Promise<StorageAnswer> {
  const { repositories: named, after, most, containing } = request
  const reader = readerOf(request)
  const listed = named ? undefined : await reader.folders()
  const isRepository = (name: string) => StorageFolder.safeParse(name).success
  const names = (named ?? listed ?? []).filter((name) => isRepository(name) && name > after).sort()
  const page = names.slice(0, most)
  const keys = await reader.keys(page)
  return {
    is_listed: listed !== undefined,
    repositories: page.map((name) => ({
      name,
      texts: (keys.get(name) ?? []).filter((text) => text.includes(containing)),
    })),
    next: names.length > page.length ? (page.at(-1) ?? null) : null,
  }
}

function readerOf({ target: { place, secret }, files }: StorageRequest): StorageReader {
  if (place.kind === 'local') return folderReader(place.path)
  if (place.kind === 'rest') return restReader(place, secret)
  if (place.kind === 'sftp') return sftpReader(place, files)
  return s3Reader({ ...place, secret: secret.reveal() })
}

const withoutSecret = (text: string, secret: string) =>
  secret === '' ? text : text.replaceAll(secret, '***')

/** Reads repositories in a folder of this machine. */
export const folderReader = (path: string): StorageReader => ({
  async folders() {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  },
  keys: (repositories) =>
    eachKeys(repositories, async (repository) => {
      const folder = `${path}/${repository}/keys`
      const names = (await readdir(folder).catch(() => [])).filter(isKeyName)
      const texts: string[] = []
      for (const name of names.slice(0, MAX_KEYS)) {
        const file = await lstat(`${folder}/${name}`)
        if (!file.isFile() || file.size > MAX_BYTES) continue
        texts.push(await readFile(`${folder}/${name}`, 'utf8'))
      }
      return texts
    }),
})

const CLOCK = { now: () => Date.now() }

/** Reads repositories in a bucket. */
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

type RestPlace = Extract<BackupPlace, { kind: 'rest' }>

const MAX_LIST = 1 << 20
const TIMEOUT_MS = 60_000
/** The media type of a list in the REST protocol of restic, version 2: names with sizes. */
const LIST = 'application/vnd.x.restic.rest.v2'
const ListedFiles = z.array(z.object({ name: z.string(), size: z.number() }))

/** Reads from a REST server, which lists the files of a repository, and no repositories. */
function restReader(place: RestPlace, secret: Secret): StorageReader {
  const base = place.url.replace(/\/+$/, '')
  return {
    folders: async () => undefined,
    keys: (repositories) =>
      eachKeys(repositories, async (repository) => {
        const folder = `${base}/${repository}/keys/`
        const list = await get(place, secret, folder, MAX_LIST)
        const files = parseJson(ListedFiles, list) ?? []
        const small = files.filter(({ name, size }) => isKeyName(name) && size <= MAX_BYTES)
        const texts: string[] = []
        for (const { name } of small.slice(0, MAX_KEYS)) {
          texts.push((await get(place, secret, `${folder}${name}`, MAX_BYTES)) ?? '')
        }
        return texts
      }),
  }
}

/** Reads a file; undefined for a missing file or repository. `most` limits the answer. */
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
