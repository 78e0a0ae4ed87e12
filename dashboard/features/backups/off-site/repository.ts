import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { sealTo } from '#dashboard/features/backups/kit.ts'
import { fingerprintOf } from '#dashboard/kernel/trust/recovery-key.ts'
import type { BackupPlace, BackupTarget } from '#shared/backups/backup.ts'
import { clockAdvice } from '#shared/backups/clock-errors.ts'
import { filesOf, optionsOf } from '#shared/backups/repository.ts'
import { complaintOf } from '#shared/backups/restic-complaint.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { type ProgramOutcome, runProgram } from './run-program.ts'

const MAX_WAIT_MS = 600_000

/** The name of the dashboard's own backups in a target; no site has this system user. */
const NAME = 'hosting-dashboard'
const NO_REPOSITORY = 10
const WRONG_PASSWORD = 12
const TRIAL_FILE = 'check.txt'
/** The message of restic for a repository whose creation was interrupted. */
const INCOMPLETE_REPOSITORY = /repository already contains keys|config file already exists/

/** The first words of commands that write, to a storage that has been read before. */
const WRITING_COMMANDS: ReadonlySet<string> = new Set(['init', 'backup'])
/** The message of a failed lock; a command that writes nothing else has it, too. */
const LOCK_FAILED = /unable to create lock/
const REFUSED = /access ?denied|permission denied|forbidden|\b40[13]\b|read-only file ?system/i

const Keys = z.array(z.object({ hostName: z.string() }))
const Summary = z.object({ message_type: z.literal('summary'), snapshot_id: z.string() })

export interface OpenRepository {
  start(view: { place: BackupPlace; folder: string }): Promise<readonly string[]>
  /** The folder for the files with secrets, which is removed at the end. */
  folder: string
  target: BackupTarget
  password: Secret
  /** A restic without progress is ended after this. */
  stall_ms: number
}

/** A restic with its secrets. */
interface Restic {
  /** Never throws for an exit status. */
  attempt(args: readonly string[]): Promise<ProgramOutcome>
  must(args: readonly string[], input_file?: string): Promise<ProgramOutcome>
  failure(outcome: ProgramOutcome, args: readonly string[]): Error
}

/** Gives restic its secrets in files, as long as `work` runs. */
export async function withRestic<T>(
  opened: OpenRepository,
  work: (restic: Restic) => Promise<T>,
): Promise<T> {
  const { folder, target, password } = opened
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    for (const [name, text] of Object.entries(filesOf({ name: NAME, target, password }, folder))) {
      await writeFile(`${folder}/${name}`, text, { mode: 0o600 })
    }
    const start = await opened.start({ place: target.place, folder })
    return await work(resticOf(opened, start))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function resticOf(opened: OpenRepository, start: readonly string[]): Restic {
  const { folder, target, stall_ms } = opened
  const env = {
    RESTIC_REPOSITORY_FILE: `${folder}/repository`,
    RESTIC_PASSWORD_FILE: `${folder}/password`,
    TMPDIR: `${folder}/tmp`,
    RESTIC_PROGRESS_FPS: '1',
    AWS_SHARED_CREDENTIALS_FILE: `${folder}/aws`,
    GOMEMLIMIT: '256MiB',
    GOGC: '50',
  }
  // Shorter than the limit: restic itself says that the repository is locked.
  const wait = `--retry-lock=${Math.floor(Math.min(MAX_WAIT_MS, 0.8 * stall_ms) / 1000)}s`
  const ssh_log = `${folder}/tmp/ssh.log`
  const common = [...start, ...optionsOf(target.place, folder, ssh_log), '--no-cache', wait]
  const attempt = async (args: readonly string[], input_file?: string) => {
    await rm(ssh_log, { force: true })
    const outcome = await runProgram([...common, ...args], {
      env,
      stall_ms,
      is_limited: true,
      ...(input_file !== undefined && { input_file }),
    })
    // restic may end before it has passed on why ssh has ended.
    const log = await readFile(ssh_log, 'utf8').catch(() => '')
    return { ...outcome, stderr: `${log}${outcome.stderr}` }
  }
  const failure = (outcome: ProgramOutcome, args: readonly string[]) =>
    failureOf(outcome, args, opened)
  return {
    attempt,
    failure,
    async must(args, input_file) {
      const outcome = await attempt(args, input_file)
      if (outcome.code !== 0) throw failure(outcome, args)
      return outcome
    },
  }
}

function failureOf(
  { code, stdout, stderr, stalled }: ProgramOutcome,
  [command = '']: readonly string[],
  { target, password, stall_ms }: OpenRepository,
): Error {
  const said = complaintOf(`${stdout}\n${stderr}`, [target.secret, password])
  if ((WRITING_COMMANDS.has(command) || LOCK_FAILED.test(said)) && REFUSED.test(said)) {
    return new Error(
      `The account of the dashboard can read the storage but not write to it: use one that can write (restic ${command}: ${said})`,
    )
  }
  const advice = clockAdvice(said, 'the machine of the dashboard')
  if (advice !== undefined) return new Error(`${advice} (${said})`)
  if (stalled) {
    const seconds = Math.round(stall_ms / 1000)
    const words = said === '' ? '' : ` (${said})`
    return new Error(
      `restic made no progress for ${seconds} seconds: check the storage, and the network between it and the dashboard${words}`,
    )
  }
  if (INCOMPLETE_REPOSITORY.test(said)) {
    return new Error(
      `The creation of the repository ${NAME} was interrupted, and restic cannot complete it: remove the folder ${NAME} from the storage (${said})`,
    )
  }
  return new Error(`restic ${command}: ${said || `exit status ${code}`}`)
}

/** Prepares the repository like agents: the name of a key, for kit and keeper, is the password. */
export async function prepareRepository(
  { attempt, must, failure }: Restic,
  { folder, password }: OpenRepository,
  owners: { recovery: string; keeper: string | null },
): Promise<void> {
  const list = ['key', 'list', '--json']
  const found = await attempt(list)
  if (found.code === NO_REPOSITORY) await must(['init', '--repository-version', '2'])
  else if (found.code === WRONG_PASSWORD) {
    throw new Error(`The target has a repository ${NAME} of another dashboard: remove it there`)
  } else if (found.code !== 0) throw failure(found, list)
  const present = found.code === 0 ? Keys.parse(JSON.parse(found.stdout)) : []
  for (const [owner, key] of Object.entries(owners)) {
    if (key === null) continue
    const host = `${owner}-${fingerprintOf(key)}`
    if (present.some(({ hostName }) => hostName === host)) continue
    const named = ['--user', sealTo(key, password), '--host', host]
    await must(['key', 'add', '--new-password-file', `${folder}/password`, ...named])
  }
}

export const saveArchive = (restic: Restic, archive: string): Promise<string> =>
  saveFile(restic, { file: archive, name: 'dashboard.tar', tag: 'dashboard' })

interface SnapshotFile {
  file: string
  name: string
  tag: string
}

async function saveFile({ must }: Restic, { file, name, tag }: SnapshotFile): Promise<string> {
  const named = ['--stdin', '--stdin-filename', name, '--tag', tag]
  const { stdout } = await must(['backup', '--json', '--host', 'hosting', ...named], file)
  const last = stdout.trim().split('\n').at(-1) ?? ''
  return Summary.parse(JSON.parse(last)).snapshot_id
}

/**
 * Saves a text, reads it and removes it again: an account that may only read is named at once, and not
 * by the first backup. Storage that is append-only keeps the text, a few hundred bytes.
 */
export async function tryWriting(
  restic: Restic,
  { folder }: OpenRepository,
  text: string,
): Promise<void> {
  const file = `${folder}/${TRIAL_FILE}`
  await writeFile(file, text)
  const id = await saveFile(restic, { file, name: TRIAL_FILE, tag: 'check' })
  const { stdout } = await restic.must(['dump', id, `/${TRIAL_FILE}`])
  if (stdout !== text) throw new Error('The storage returned something else than was written')
  await restic.attempt(['forget', id])
}
