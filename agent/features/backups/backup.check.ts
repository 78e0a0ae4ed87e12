import { createHash } from 'node:crypto'
import {
  failureOf,
  LOCKED,
  NO_REPOSITORY,
  type ResticOutput,
  WRONG_PASSWORD,
} from '#agent/features/backups/restic/failures.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { ProgressLines } from '#agent/features/backups/restic/progress.ts'
import type { Repository } from '#agent/features/backups/restic/repository.ts'
import {
  hostOf,
  type OpenRepository,
  refuseUnready,
  runRestic,
  tryRestic,
} from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  openFilesStep,
  openRepositoryOf,
  provideNewPassword,
  recordingCreation,
} from '#agent/features/backups/restic/session.ts'
import { readKeys, StorageRefused } from '#agent/features/backups/storage/read-keys.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import { isMetadata } from '#agent/kernel/host/metadata-addresses.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  andThen,
  command,
  line,
  type Progress,
  ready,
  stepResult,
} from '#agent/kernel/steps/command.ts'
import type { BackupTarget } from '#shared/backups/backup.ts'
import { complaintOf } from '#shared/backups/restic-complaint.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { invalid, ServiceError } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'

/** The name of the lock, and of the folder of secrets on the server. */
const NAME = 'hosting-check'

const password = stepResult<Secret>('The repository has no password')
const isAppendOnly = stepResult<boolean>('The target was not checked')

/** Runs one check at a time for each server, since its repository has one name. */
export const backupCheck = command('backup.check', {
  lock: () => NAME,
  async check({ target }, host) {
    await refuseUnready(host, target)
    return {}
  },
  find: async () => ({}),
  steps: ({ params, host, gives, find }) => [
    line(gives(password, () => provideNewPassword(host, NAME, NAME))),
    ready(() => resticSteps(host)),
    andThen(() => {
      const repository = repositoryOf(params, find(password) ?? new Secret(''))
      const opened = openRepositoryOf(host, repository, NAME)
      return [
        openFilesStep(host, repository, NAME),
        {
          name: 'check',
          title: 'Writing to the target, and reading from it',
          effects: [run('program', 'restic')],
          apply: gives(isAppendOnly, () => tryTarget(host, opened)),
        },
        { name: 'close', title: 'Disconnecting from the target', ...closeFiles(host, NAME) },
      ]
    }),
  ],
  result: ({ get }) => ({ append_only: get(isAppendOnly) }),
})

async function* tryTarget(host: Host, opened: OpenRepository): Progress<boolean> {
  await refuseWrongFields(host, opened)
  return yield* checkTarget(host, opened, NAME)
}

/**
 * The repository of the server itself, which every check uses again. A digest of its password names
 * it, so that servers of several dashboards can share a storage. An interrupted creation leads to
 * another name.
 */
const repositoryOf = ({ target }: ParamsOf<'backup.check'>, secret: Secret): Repository => ({
  name: `${NAME}-${digestOf(secret)}`,
  target,
  password: secret,
})

const digestOf = (secret: Secret): string =>
  createHash('sha256').update(`${NAME} ${secret.reveal()}`).digest('hex').slice(0, 12)

const LIMIT = { timeout_ms: 2 * 60_000 }
/** restic tries again for 15 minutes where it cannot connect; its last error is the reason. */
const FIRST = { timeout_ms: 30_000 }
const FILE = 'check.txt'
const LOCKS =
  'The target does not let this server delete the locks of restic, for which later work would wait: allow it to delete in the folder locks of each repository'

/** Refuses a name that leads to a metadata address; systemd keeps restic from later ones. */
async function refuseMetadata(host: Host, { place }: BackupTarget): Promise<void> {
  if (place.kind === 'local') return
  const [addresses] = await host.net.resolve([hostOf(place)])
  const found = addresses?.find(isMetadata)
  if (found === undefined) return
  const field = place.kind === 'sftp' ? 'place.host' : 'place.url'
  throw invalid({ [field]: [`Leads to the link-local or metadata address ${found}`] })
}

/**
 * Reads the storage without restic, which does not report what it refused. Throws 422 that names
 * the field of the target, with the error of the storage.
 */
async function refuseWrongFields(host: Host, { repository }: OpenRepository): Promise<void> {
  const { target, name } = repository
  await refuseMetadata(host, target)
  const request = { repositories: [name], after: '', most: 1, containing: '"' }
  await readKeys(host, target, request).catch((error: unknown) => {
    if (!(error instanceof StorageRefused) || error.field === null) return
    const field = error.field === 'secret' ? 'secret' : `place.${error.field}`
    throw invalid({ [field]: [error.reason] })
  })
}

/** Returns the result. A target that does not answer, or stays locked, has not refused. */
async function deletion(host: Host, opened: OpenRepository, id: string): Promise<ResticOutput> {
  // The locks of a check that was killed.
  await tryRestic(host, opened, ['unlock'], FIRST)
  const ended = await tryRestic(host, opened, ['forget', id], LIMIT)
  const { target, password } = opened.repository
  const secrets = [target.secret, password]
  if (ended.code === LOCKED) throw new Error(`${LOCKS} (${complaintOf(ended.stderr, secrets)})`)
  const failure = failureOf(ended, secrets)
  if (ended.code !== 0 && failure instanceof ServiceError) throw failure
  return ended
}

/**
 * Saves a text, reads it, and tries to delete it. Returns whether the target refused the deletion.
 * Throws what is wrong with the target, in the words of restic and of the storage.
 */
async function* checkTarget(host: Host, opened: OpenRepository, owner: string): Progress<boolean> {
  const found = await tryRestic(host, opened, ['cat', 'config'], FIRST)
  if (found.code === NO_REPOSITORY) {
    await recordingCreation(host, owner, owner, () => runRestic(host, opened, ['init'], LIMIT))
  } else if (found.code === WRONG_PASSWORD) {
    const { name } = opened.repository
    throw new Error(`The target has a folder ${name} of another server: remove it there`)
  } else if (found.code !== 0) {
    const { target, password } = opened.repository
    throw failureOf(found, [target.secret, password])
  }
  const text = host.random.text(24)
  const save = ['backup', '--json', '--host', 'hosting', '--stdin', '--stdin-filename', FILE]
  const { stdout } = await runRestic(host, opened, save, { ...LIMIT, input: text })
  const lines = new ProgressLines(() => 0)
  for (const line of stdout.split('\n')) lines.read(line)
  const id = lines.summary?.snapshot_id
  if (id === undefined) throw new Error('restic saved nothing')
  const read = await runRestic(host, opened, ['dump', id, `/${FILE}`], LIMIT)
  if (read.stdout !== text) throw new Error('The target returned something else than was written')
  yield 'The target can be written and read'
  const { code } = await deletion(host, opened, id)
  yield code === 0
    ? 'Warning: this server can delete backups in the target'
    : 'The target refuses to delete backups'
  return code !== 0
}
