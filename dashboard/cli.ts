import { parseArgs } from 'node:util'
import { makeOwner } from '#dashboard/features/access/accounts/make-owner.ts'
import { findKit } from '#dashboard/features/backups/kit.queries.ts'
import { putRecovery } from '#dashboard/features/backups/recovery-file.ts'
import {
  backUp,
  type DashboardRecords,
  mustExist,
} from '#dashboard/features/recovery/backup/back-up.ts'
import { checkFile, checkRecords } from '#dashboard/features/recovery/backup/check-records.ts'
import { BackupError } from '#dashboard/features/recovery/backup/manifest.ts'
import { restore } from '#dashboard/features/recovery/backup/restore.ts'
import { findSealSecret } from '#dashboard/features/recovery/backup/seal-secret.ts'
import { verifyRecord, verifyRecordFile } from '#dashboard/features/recovery/verify-record.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { takeFirstLogin } from '#dashboard/kernel/auth/first-login.ts'
import { makeReset } from '#dashboard/kernel/auth/password-reset.ts'
import { findUserByEmail, hasFactor } from '#dashboard/kernel/auth/queries.ts'
import { resetFactor } from '#dashboard/kernel/auth/second-factor.ts'
import { databaseOnClient } from '#dashboard/kernel/db/client.ts'
import { connect, databaseFileOf } from '#dashboard/kernel/db/connect.ts'
import { Marks } from '#dashboard/kernel/db/marks.ts'
import { appliedMigrations, pendingMigrations } from '#dashboard/kernel/db/migrations.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { type Config, databaseOf } from './config.ts'

const USAGE = `Hosting Control: the dashboard and the tools for its records

  hosting-control serve              run the dashboard on HOST and PORT
  hosting-control backup <target>    write a backup to a new file, or to a folder
      --with-secrets                 include the seal-secret of DATA_DIR: a restore needs no
                                     other file, and the backup gives control of every server
  hosting-control restore <backup>   replace the database with a backup
  hosting-control check [<file>]     check the database or a backup for damage
  hosting-control verify-record [<file>]
                                     verify the record of the activity, or an export of it
  hosting-control kit                print the public key of the recovery kit in use
  hosting-control keep-recovery      keep what save-release-key has sealed, from standard input
  hosting-control first-login        show the generated password of the first account once
  hosting-control reset-password <email>
                                     print a link to set a new password for an account: it is
                                     valid for an hour, once
  hosting-control reset-factors <email>
                                     turn two-factor authentication off for an account whose owner
                                     has lost the app, the recovery codes and the passkeys
  hosting-control make-owner <email>
                                     make an account an owner of the dashboard, and activate it
  hosting-control notices            print the licenses of what this program contains

Root has one more command where scripts/install-dashboard.sh installed the dashboard:

  hosting-control save-release-key [<fingerprint>]
                                     save the release key and the settings in each backup, sealed
                                     to the recovery kit with this fingerprint, or again to the last

In a checkout without the service, hosting-control is \`bun dashboard/main.ts\`.
All commands use the environment of the dashboard: DATA_DIR, DATABASE_URL, DATABASE_AUTH_TOKEN.
backup, check and verify-record work while the dashboard runs; stop it before restore.
`

const RECOVERABLE =
  'the release key and the settings are sealed in it: scripts/install-dashboard.sh --recover puts them into place\n'

class UsageError extends Error {}

export interface Output {
  out(text: string): void
  err(text: string): void
  read(): Promise<string>
}

type Command = (records: DashboardRecords, args: Args, output: Output) => Promise<number>
interface Args {
  path: string | undefined
  with_secrets: boolean
  public_url?: string | undefined
}

const COMMANDS: Record<string, Command> = {
  backup,
  restore: restoreBackup,
  check,
  'verify-record': verifyActivityRecord,
  kit: printKit,
  'keep-recovery': keepRecovery,
  'first-login': showFirstLogin,
  'make-owner': makeOwnerOf,
  'reset-factors': resetFactors,
  'reset-password': resetPassword,
  notices: printNotices,
}

const TAKE_ADDRESS: ReadonlySet<Command> = new Set([makeOwnerOf, resetFactors, resetPassword])

/** Runs one of the commands and resolves with the exit status: 1 for a failure, 2 for a wrong call. */
export async function runCommand(
  argv: readonly string[],
  configured: () => Config,
  output: Output,
): Promise<number> {
  try {
    const { act, args } = parse(argv)
    if (!act) {
      output.out(USAGE)
      return 0
    }
    const config = configured()
    const records = { database: databaseOf(config), data_dir: config.DATA_DIR }
    return await act(records, { ...args, public_url: config.PUBLIC_URL }, output)
  } catch (error) {
    if (!(error instanceof BackupError || error instanceof UsageError)) throw error
    output.err(`${error.message}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

function parse(argv: readonly string[]): { act: Command | undefined; args: Args } {
  const { values, positionals } = parseOptions(argv)
  const [name = 'help', path, more] = positionals
  const args = { path, with_secrets: values['with-secrets'] }
  if (values.help || name === 'help') return { act: undefined, args }
  const act = COMMANDS[name]
  if (!act) throw new UsageError(`${name} is not a command: see --help`)
  if (more !== undefined)
    throw new UsageError(
      `${name} takes one ${TAKE_ADDRESS.has(act) ? 'address' : 'path'}: see --help`,
    )
  if (args.with_secrets && act !== backup) throw new UsageError('--with-secrets is for backup')
  return { act, args }
}

function parseOptions(argv: readonly string[]) {
  const help = { type: 'boolean', short: 'h', default: false } as const
  const options = { help, 'with-secrets': { type: 'boolean', default: false } } as const
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options })
  } catch {
    throw new UsageError('Unknown option: see --help')
  }
}

function requiredPath(path: string | undefined, what: string): string {
  if (path === undefined) throw new UsageError(`The path of ${what} is missing: see --help`)
  return path
}

async function backup(records: DashboardRecords, { path, with_secrets }: Args, { out }: Output) {
  const target = requiredPath(path, 'the new backup')
  const made = await backUp(records, target, { with_secrets, now: new Date() })
  const { seal, database } = made.manifest
  out(`backup ${made.path}: ${rowsOf(database.rows)} rows, verified\n`)
  if (with_secrets) out('it contains the seal-secret, which gives control of every server\n')
  else if (seal) out(`it contains no secrets: a restore needs DATA_DIR/seal-secret ${seal}\n`)
  else out('DATA_DIR has no seal-secret, without which the keys in the backup are unusable\n')
  return 0
}

async function restoreBackup(records: DashboardRecords, { path }: Args, { out }: Output) {
  const { manifest, aside, has_recovery } = await restore(
    requiredPath(path, 'the backup'),
    records,
    new Date(),
  )
  const { made_at, database } = manifest
  out(`restored ${rowsOf(database.rows)} rows from ${made_at}\n`)
  if (aside) out(`the previous database is ${aside}\n`)
  if (has_recovery) out(RECOVERABLE)
  out('all users must log in again\n')
  return 0
}

async function check(records: DashboardRecords, { path }: Args, { out }: Output) {
  const report = path === undefined ? await checkRecords(records) : await checkFile(path, records)
  for (const note of report.notes) out(`note: ${note}\n`)
  for (const finding of report.findings) out(`found: ${finding}\n`)
  out(report.findings.length === 0 ? 'ok\n' : `${report.findings.length} findings\n`)
  return report.findings.length === 0 ? 0 : 1
}

async function verifyActivityRecord(
  records: DashboardRecords,
  { path }: Args,
  { out }: Output,
): Promise<number> {
  const report =
    path === undefined ? await verifyRecord(records) : await verifyRecordFile(path, records)
  const { problem, entries, notes } = report
  for (const note of notes) out(`note: ${note}\n`)
  out(problem === undefined ? `ok: ${entries} activities are unchanged\n` : `found: ${problem}\n`)
  return problem === undefined ? 0 : 1
}

async function showFirstLogin(
  { data_dir }: DashboardRecords,
  { path }: Args,
  { out, err }: Output,
) {
  if (path !== undefined) throw new UsageError('first-login takes no path: see --help')
  const text = await takeFirstLogin(data_dir)
  if (text === undefined)
    err('There is no first login to show: it was shown before, or ADMIN_PASSWORD was set\n')
  else out(`${text}it is shown only once: change the password on the Account page\n`)
  return text === undefined ? 1 : 0
}

async function resetFactors(records: DashboardRecords, { path }: Args, { out }: Output) {
  using accounts = await openAccounts(records, path)
  const { db, marks, email } = accounts
  const user = await findUserByEmail({ db, marks }, email)
  if (!user) throw unknownAccount(email)
  if (!hasFactor(user)) throw new BackupError(`Two-factor authentication of ${email} is off`)
  if (!(await resetFactor({ db, marks, clock: realClock, random: secureRandom }, user)))
    throw new BackupError('The account was changed meanwhile: try again')
  out(`two-factor authentication of ${email} is off, and its sessions have ended\n`)
  out('the activity and the overview of the dashboard report it\n')
  return 0
}

async function resetPassword(
  records: DashboardRecords,
  { path, public_url }: Args,
  { out }: Output,
) {
  using accounts = await openAccounts(records, path)
  const { db, marks, email } = accounts
  const entry = entryOf(realClock, {
    type: 'auth.reset_request',
    detail: 'by a command on its machine',
  })
  const deps = { db, marks, clock: realClock, random: secureRandom }
  const made = await makeReset(deps, email, entry)
  if (!made) throw unknownAccount(email)
  const address = `/reset#${made.token.reveal()}`
  if (public_url === undefined)
    out(`set a new password for ${email} at this address of the dashboard:\n${address}\n`)
  else out(`set a new password for ${email} at\n${public_url}${address}\n`)
  out('it is valid for an hour, once, and ends the previous link\n')
  return 0
}

async function makeOwnerOf(records: DashboardRecords, { path }: Args, { out }: Output) {
  using accounts = await openAccounts(records, path)
  const { db, marks, email } = accounts
  await makeOwner({ db, marks, clock: realClock }, email).catch((error: unknown) => {
    if (isServiceError(error, 'not_found')) throw unknownAccount(email)
    throw isServiceError(error, 'conflict') ? new BackupError(error.message) : error
  })
  out(`${email} is an owner of this dashboard\n`)
  out('the activity and the overview of the dashboard report it\n')
  return 0
}

/** Opens the records of the accounts for a command about the one with the address `path`. */
async function openAccounts({ database, data_dir }: DashboardRecords, path: string | undefined) {
  if (path === undefined)
    throw new UsageError('The e-mail address of the account is missing: see --help')
  await mustExist(database)
  const secret = await findSealSecret(data_dir)
  if (!secret) throw new BackupError(`There is no seal-secret in ${data_dir}`)
  const client = connect(database, 1)
  if (pendingMigrations(await appliedMigrations(client)).length > 0) {
    client.close()
    throw new BackupError('The database is of an older version: start the dashboard first')
  }
  const db = databaseOnClient(client, databaseFileOf(database.url) === undefined)
  const marks = new Marks(secret.reveal(), { error: () => undefined })
  const email = path.toLowerCase()
  return { db, marks, email, [Symbol.dispose]: () => client.close() }
}

const unknownAccount = (email: string) =>
  new BackupError(
    `There is no account ${email}, or it was changed outside of the dashboard: see hosting-control check`,
  )

async function printKit({ database }: DashboardRecords, { path }: Args, { out }: Output) {
  if (path !== undefined) throw new UsageError('kit takes no path: see --help')
  await mustExist(database)
  using client = connect(database, 1)
  const kit = await findKit(databaseOnClient(client), { confirmed: true })
  if (!kit) throw new BackupError('No recovery kit is in use: create one on the page Backups first')
  out(kit.recovery_key)
  return 0
}

async function keepRecovery({ data_dir }: DashboardRecords, { path }: Args, { read }: Output) {
  if (path !== undefined) throw new UsageError('keep-recovery takes no path: see --help')
  const text = await read()
  await putRecovery(data_dir, text).catch((error: unknown) => {
    throw new BackupError(`It cannot be kept in ${data_dir}: ${messageOf(error)}`)
  })
  return 0
}

async function printNotices(_: DashboardRecords, { path }: Args, { out }: Output) {
  if (path !== undefined) throw new UsageError('notices takes no path: see --help')
  const { THIRD_PARTY_NOTICES } = await import('#shared/kernel/third-party-notices.ts')
  out(THIRD_PARTY_NOTICES)
  return 0
}

function rowsOf(rows: Record<string, number>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0)
}
