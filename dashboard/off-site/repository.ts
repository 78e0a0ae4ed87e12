import { mkdir, rm, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { fingerprintOf, sealTo } from '#dashboard/site-backups/kit.ts'
import type { BackupTarget } from '#shared/backup.ts'
import { filesOf, optionsOf } from '#shared/restic/repository.ts'
import type { Secret } from '#shared/secret.ts'
import { type Outcome, reasonOf, run } from './child.ts'

/** Where the dashboard's own backups are in a target; no site has this system user. */
export const NAME = 'hosting-dashboard'
const NO_REPOSITORY = 10
const WRONG_PASSWORD = 12

const Keys = z.array(z.object({ hostName: z.string() }))
const Summary = z.object({ message_type: z.literal('summary'), snapshot_id: z.string() })

export interface Opened {
  program: string
  /** For the files with secrets; removed at the end. */
  folder: string
  target: BackupTarget
  password: Secret
}

type Call = (args: readonly string[], input_file?: string) => Promise<Outcome>

/** Gives restic its secrets in files, as long as `work` runs. */
export async function withRestic<T>(opened: Opened, work: (call: Call) => Promise<T>): Promise<T> {
  const { program, folder, target, password } = opened
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    for (const [name, text] of Object.entries(filesOf({ name: NAME, target, password }, folder))) {
      await writeFile(`${folder}/${name}`, text, { mode: 0o600 })
    }
    const env = {
      RESTIC_REPOSITORY_FILE: `${folder}/repository`,
      RESTIC_PASSWORD_FILE: `${folder}/password`,
      AWS_SHARED_CREDENTIALS_FILE: `${folder}/aws`,
      GOMEMLIMIT: '256MiB',
    }
    const common = [program, ...optionsOf(target.place, folder), '--no-cache', '--retry-lock=10m']
    return await work((args, input_file) =>
      run([...common, ...args], { env, ...(input_file !== undefined && { input_file }) }),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** As agents do it for sites: the password is the name of a key, encrypted to the kit and the keeper. */
export async function prepare(
  call: Call,
  { folder, password }: Opened,
  owners: { recovery: string; keeper: string | null },
): Promise<void> {
  const found = await call(['key', 'list', '--json'])
  if (found.code === NO_REPOSITORY) await must(call, ['init', '--repository-version', '2'])
  else if (found.code === WRONG_PASSWORD) {
    throw new Error(`The target has a repository ${NAME} of another dashboard: remove it there`)
  } else if (found.code !== 0) throw new Error(`restic: ${reasonOf(found)}`)
  const present = found.code === 0 ? Keys.parse(JSON.parse(found.stdout)) : []
  for (const [owner, key] of Object.entries(owners)) {
    if (key === null) continue
    const host = `${owner}-${fingerprintOf(key)}`
    if (present.some(({ hostName }) => hostName === host)) continue
    const named = ['--user', sealTo(key, password), '--host', host]
    await must(call, ['key', 'add', '--new-password-file', `${folder}/password`, ...named])
  }
}

/** Returns the id of the snapshot. */
export async function save(call: Call, archive: string): Promise<string> {
  const named = ['--stdin', '--stdin-filename', 'dashboard.tar', '--tag', 'dashboard']
  const { stdout } = await must(call, ['backup', '--json', '--host', 'hosting', ...named], archive)
  const last = stdout.trim().split('\n').at(-1) ?? ''
  return Summary.parse(JSON.parse(last)).snapshot_id
}

async function must(call: Call, args: readonly string[], input?: string): Promise<Outcome> {
  const outcome = await call(args, input)
  if (outcome.code !== 0) throw new Error(`restic ${args[0]}: ${reasonOf(outcome)}`)
  return outcome
}
