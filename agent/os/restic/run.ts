import { CommandFailed } from '#agent/host/errors.ts'
import type { Host, Output, RunOptions } from '#agent/host/ports.ts'
import type { BackupTarget } from '#shared/backup.ts'
import { conflict } from '#shared/errors.ts'
import type { Secret } from '#shared/secret.ts'
import { failureOf } from './failures.ts'
import { resticPath } from './program.ts'
import { optionsOf, type Repository } from './repository.ts'
import { CACHE, MOUNT, resticProcess, type View } from './sandbox.ts'

/** A repository whose files stand in a folder of root. */
export interface Opened {
  repository: Repository
  /** The folder of the files of `filesOf`. */
  files: string
  cache: string
}

export interface ResticOptions
  extends Pick<RunOptions, 'input' | 'input_from' | 'output_file' | 'operation'> {
  reads?: View['reads']
  writes?: View['writes']
  timeout_ms: number
}

/** restic has no sandbox without systemd: it would follow the links of a site as root. */
export async function refuseUnready({ init, files }: Host, { place }: BackupTarget): Promise<void> {
  if (init !== 'systemd') throw conflict('Backups need a server that systemd started')
  if (place.kind === 'sftp' && !(await files.stat(SSH))) {
    throw conflict('SFTP targets need ssh: install the package openssh-client on this server')
  }
  if (place.kind !== 'local') return
  const folder = await files.stat(place.path)
  if (folder?.kind === 'directory' && folder.uid === 0) return
  throw conflict(`${place.path} is not a folder of root on this server: create it, or mount it`)
}

const SSH = '/usr/bin/ssh'

/** Never throws for an exit status: 10 is a missing repository, 12 another password. */
export async function tryRestic(
  host: Host,
  opened: Opened,
  args: readonly string[],
  options: ResticOptions,
): Promise<Output> {
  return host.shell.try(argvOf(host, opened, args), optionsFor(host, opened, options))
}

/** Throws a readable error that has the message of restic and of the storage. */
export async function runRestic(
  host: Host,
  opened: Opened,
  args: readonly string[],
  options: ResticOptions,
): Promise<Output> {
  const output = await tryRestic(host, opened, args, options)
  if (output.code !== 0) throw failureOf(output, secretsOf(opened))
  return output
}

/** Yields the lines of its output; throws like runRestic. */
export async function* streamRestic(
  host: Host,
  opened: Opened,
  args: readonly string[],
  options: ResticOptions,
): AsyncGenerator<string, void> {
  try {
    yield* host.shell.stream(argvOf(host, opened, args), optionsFor(host, opened, options))
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    throw failureOf(error.output, secretsOf(opened))
  }
}

/** The bytes of its standard output; throws like runRestic. */
export async function* bytesOfRestic(
  host: Host,
  opened: Opened,
  args: readonly string[],
  options: ResticOptions,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* host.shell.bytes(argvOf(host, opened, args), optionsFor(host, opened, options))
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    throw failureOf(error.output, secretsOf(opened))
  }
}

const secretsOf = ({ repository: { target, password } }: Opened): Secret[] => [
  target.secret,
  password,
]

const argvOf = (host: Host, { repository }: Opened, args: readonly string[]) => [
  resticPath(host),
  ...optionsOf(repository.target.place),
  '--retry-lock=10m',
  ...args,
]

function optionsFor(
  host: Host,
  { repository, files, cache }: Opened,
  { reads, writes, ...options }: ResticOptions,
): RunOptions {
  const { place } = repository.target
  const store = place.kind === 'local' ? place.path : undefined
  const view = { files, cache, program: resticPath(host), store }
  return {
    ...options,
    env: {
      HOME: '/tmp',
      TMPDIR: '/tmp',
      RESTIC_CACHE_DIR: CACHE,
      RESTIC_PASSWORD_FILE: `${MOUNT}/password`,
      RESTIC_REPOSITORY_FILE: `${MOUNT}/repository`,
      RESTIC_PROGRESS_FPS: '1',
      AWS_SHARED_CREDENTIALS_FILE: `${MOUNT}/aws`,
      GOMEMLIMIT: '512MiB',
      GOGC: '50',
    },
    site: resticProcess({ ...view, ...(reads && { reads }), ...(writes && { writes }) }),
  }
}
