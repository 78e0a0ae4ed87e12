import { z } from 'zod'
import { deniedOn } from '#agent/kernel/host/denied-addresses.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import { isMetadata } from '#agent/kernel/host/metadata-addresses.ts'
import type { Host, Output, RunOptions } from '#agent/kernel/host/ports.ts'
import type { BackupPlace, BackupTarget } from '#shared/backups/backup.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { failureOf, type ResticOutput, reportsDamage } from './failures.ts'
import { findKeyHint } from './key-hint.ts'
import { resticPath } from './program.ts'
import { optionsOf, type Repository, storeOf } from './repository.ts'
import { CACHE, MOUNT, programsStartedFor, type ResticView, resticProcess } from './sandbox.ts'

export interface OpenRepository {
  repository: Repository
  /** The folder of the files of `filesOf`. */
  files: string
  cache: string
}

export interface ResticOptions
  extends Pick<RunOptions, 'input' | 'input_from' | 'output_file' | 'seen' | 'operation'> {
  reads?: ResticView['reads']
  writes?: ResticView['writes']
  timeout_ms: number
}

/** Throws conflict for a target that this server cannot or must not reach. */
export async function refuseUnready({ files }: Host, { place }: BackupTarget): Promise<void> {
  if (place.kind === 'sftp' && !(await files.stat(SSH))) {
    throw conflict('SFTP targets need ssh: install the package openssh-client on this server')
  }
  if (place.kind !== 'local') {
    if (!isMetadata(hostOf(place))) return
    throw conflict(`The target has a link-local or metadata address: ${hostOf(place)}`)
  }
  const folder = await files.stat(place.path)
  if (folder?.kind === 'directory' && folder.uid === 0) return
  throw conflict(`${place.path} is not a folder of root on this server: create it, or mount it`)
}

export const hostOf = (place: Exclude<BackupPlace, { kind: 'local' }>): string =>
  place.kind === 'sftp' ? place.host : new URL(place.url).hostname.replace(/^\[(.*)\]$/, '$1')

const SSH = '/usr/bin/ssh'
const MAX_LOCK_MS = 10 * 60_000
const MIN_CACHE = 128 * 2 ** 20

/** Runs restic; throws for no exit status: 10 is a missing repository, 12 another password. */
export async function tryRestic(
  host: Host,
  opened: OpenRepository,
  args: readonly string[],
  options: ResticOptions,
): Promise<ResticOutput> {
  const { clock, shell } = host
  using stall = new StallWatch(host)
  const seen = (bytes: number) => {
    stall.reached(bytes)
    options.seen?.(bytes)
  }
  const started = clock.elapsed()
  const argv = await argvOf(host, opened, args, options)
  const output = await shell.try(argv, await optionsFor(host, opened, { ...options, seen }))
  const late = stall.over || clock.elapsed() - started >= options.timeout_ms
  return { ...output, late }
}

/** Runs restic; throws a readable error with its message and that of the storage. */
export async function runRestic(
  host: Host,
  opened: OpenRepository,
  args: readonly string[],
  options: ResticOptions,
): Promise<Output> {
  const output = await tryRestic(host, opened, args, options)
  if (output.code !== 0) throw failureOf(output, secretsOf(opened))
  return output
}

/** Yields the lines of its output, and ends it without progress; throws like `runRestic`. */
export async function* streamRestic(
  host: Host,
  opened: OpenRepository,
  args: readonly string[],
  options: ResticOptions,
): AsyncGenerator<string, void> {
  using stall = new StallWatch(host)
  let damage = ''
  try {
    const argv = await argvOf(host, opened, args, options)
    const all = await optionsFor(host, opened, options)
    for await (const line of host.shell.stream(argv, all)) {
      await stall.see(line)
      if (damage === '' && reportsDamage(line)) damage = line
      yield line
    }
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    throw failureOf({ ...error.output, stdout: damage, late: stall.over }, secretsOf(opened))
  }
}

/** Yields the bytes of its standard output; throws like `runRestic`. */
export async function* bytesOfRestic(
  host: Host,
  opened: OpenRepository,
  args: readonly string[],
  options: ResticOptions,
): AsyncGenerator<Uint8Array, void> {
  try {
    const argv = await argvOf(host, opened, args, options)
    yield* host.shell.bytes(argv, await optionsFor(host, opened, options))
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    throw failureOf(error.output, secretsOf(opened))
  }
}

const secretsOf = ({ repository: { target, password } }: OpenRepository): Secret[] => [
  target.secret,
  password,
]

async function argvOf(
  host: Host,
  { repository, cache }: OpenRepository,
  args: readonly string[],
  limits: ResticOptions,
) {
  const options = [...optionsOf(repository.target.place), retryLock(host, limits)]
  return [resticPath(host), ...options, ...(await cacheOptions(host, cache)), ...args]
}

/** Waits less than any limit, so that restic itself reports what it waited for. */
function retryLock({ settings }: Host, { timeout_ms }: ResticOptions): string {
  const limit = Math.min(timeout_ms, settings.restic_stall_ms) * 0.8
  return `--retry-lock=${Math.floor(Math.min(MAX_LOCK_MS, limit) / 1000)}s`
}

/** Disables the cache on a full disk: restic repeats requests whose answers it cannot store. */
async function cacheOptions({ files }: Host, cache: string): Promise<string[]> {
  const space = await files.space(cache).catch(() => undefined)
  return space && space.free < MIN_CACHE ? ['--no-cache'] : []
}

async function optionsFor(
  host: Host,
  opened: OpenRepository,
  { reads, writes, ...options }: ResticOptions,
): Promise<RunOptions> {
  const { repository, files, cache } = opened
  const hint = await findKeyHint(host, opened)
  const store = storeOf(repository)
  const view = {
    files,
    cache,
    program: resticPath(host),
    starts: programsStartedFor(repository.target.place),
    denied: await deniedOn(host),
    store,
  }
  return {
    ...options,
    env: {
      HOME: '/tmp',
      TMPDIR: '/tmp',
      RESTIC_CACHE_DIR: CACHE,
      ...(hint !== undefined && { RESTIC_KEY_HINT: hint }),
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

const LOOK_MS = 1000

const count = z.number().default(0)
const Status = z.object({
  message_type: z.literal('status'),
  total_files: count,
  total_bytes: count,
  files_done: count,
  bytes_done: count,
  files_restored: count,
  bytes_restored: count,
  files_skipped: count,
  bytes_skipped: count,
  files_deleted: count,
})

/**
 * Ends the restic of an operation that makes no progress, as its status lines or bytes show. restic
 * repeats a failed request for 15 minutes, and a restore then continues with the next file of the
 * target.
 */
export class StallWatch implements Disposable {
  readonly #host: Host
  readonly #timer: ReturnType<typeof setInterval>
  #state = ''
  #since: number
  /** True when the watch has ended restic. */
  over = false

  constructor(host: Host) {
    this.#host = host
    this.#since = host.clock.elapsed()
    this.#timer = setInterval(() => void this.look(), LOOK_MS)
  }

  async see(line: string): Promise<void> {
    const status = parseJson(Status, line)
    if (status) this.#note(JSON.stringify(status))
    await this.look()
  }

  /** Reports the bytes that a run without status lines has read or written. */
  reached(bytes: number): void {
    this.#note(`${bytes}`)
  }

  #note(state: string): void {
    if (state !== this.#state) this.#since = this.#host.clock.elapsed()
    this.#state = state
  }

  async look(): Promise<void> {
    const { clock, programs, operation, settings } = this.#host
    if (this.over || clock.elapsed() - this.#since < settings.restic_stall_ms) return
    this.over = true
    // Not SIGTERM: restic would first remove its lock from the target.
    if (operation !== undefined) await programs.signal(operation, 'SIGKILL')
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
