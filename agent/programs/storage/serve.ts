import { readFileSync } from 'node:fs'
import { type StorageAnswer, StorageRequest } from '#agent/features/backups/storage/answer.ts'
import { StorageFolder } from '#shared/backups/backup.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { fieldOf } from './fault.ts'
import { folderReader } from './folder.ts'
import type { StorageReader } from './reader.ts'
import { restReader } from './rest.ts'
import { s3Reader } from './s3.ts'
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
