import { type Repository, storeOf } from '#agent/features/backups/restic/repository.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import { MOUNT, programsStartedFor, resticProcess } from '#agent/features/backups/restic/sandbox.ts'
import { closeFiles, openFiles, openRepositoryOf } from '#agent/features/backups/restic/session.ts'
import { deniedOn } from '#agent/kernel/host/denied-addresses.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { BackupTarget } from '#shared/backups/backup.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { StorageAnswer, type StorageKeys } from './answer.ts'

const LIMIT = { timeout_ms: 10 * 60_000 }
/** The name of the folder of secrets. */
export const SESSION = '.storage'

/** Thrown when a storage refused; names the wrong field of the target. */
export class StorageRefused extends ServiceError {
  readonly field: string | null
  readonly reason: string

  constructor({ error, field }: { error: string; field: string | null }) {
    super('conflict', { message: `The storage cannot be read: ${error}` })
    this.field = field
    this.reason = error
  }
}

interface KeysRequest {
  /** The folders of the repositories to read; null for those that the storage lists after it. */
  repositories: readonly string[] | null
  after: string
  most: number
  /** The text that a file of keys must contain to be returned. */
  containing: string
}

/** Reads the folders of keys of a storage. Throws what the storage answered. */
export function readKeys(
  host: Host,
  target: BackupTarget,
  request: KeysRequest,
): Promise<StorageKeys> {
  // One at a time: they have the same folder of secrets.
  return host.exclusive('read a storage', async () => {
    await refuseUnready(host, target)
    const repository = { name: SESSION, target, password: new Secret('') }
    try {
      await openFiles(host, repository).apply()
      return answerIn((await run(host, repository, request)).stdout)
    } finally {
      await closeFiles(host, SESSION).apply()
    }
  })
}

async function run(host: Host, repository: Repository, request: KeysRequest) {
  const [program = ''] = host.settings.program
  const { files, cache } = openRepositoryOf(host, repository)
  const { place, secret } = repository.target
  const store = storeOf(repository)
  const target = { place, secret: secret.reveal() }
  return host.shell.run([...host.settings.program, 'storage'], {
    ...LIMIT,
    input: JSON.stringify({ target, files: MOUNT, ...request }),
    env: { HOME: '/tmp', TMPDIR: '/tmp' },
    site: resticProcess({
      files,
      cache,
      program,
      starts: place.kind === 'sftp' ? [...programsStartedFor(place), '/usr/bin/sftp'] : [],
      denied: await deniedOn(host),
      store,
    }),
  })
}

function answerIn(text: string): StorageKeys {
  const answer = parseJson(StorageAnswer, text)
  if (!answer) throw new Error('The storage was not read')
  if ('error' in answer) throw new StorageRefused(answer)
  return answer
}
