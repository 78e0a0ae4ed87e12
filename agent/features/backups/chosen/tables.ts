import { z } from 'zod'
import { accountIn, chosenIn, dumpIn, replacedOf } from '#agent/features/backups/paths.ts'
import { releaseAccount, reserveAccount } from '#agent/kernel/database/account.ts'
import { parseAccount } from '#agent/kernel/database/account-record.ts'
import { clientOf, reasonOf, runAsOwner } from '#agent/kernel/database/as-owner.ts'
import { databaseSize, timeFor } from '#agent/kernel/database/dump.ts'
import { importDatabase, type SpaceUse } from '#agent/kernel/database/import.ts'
import { ensureMariadb } from '#agent/kernel/database/mariadb.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import { withSliceInUse } from '#agent/kernel/sandbox/slice.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const SECRET = { mode: 0o600 }
const listIn = (folder: string) => `${folder}/tables.json`
const ReductionReport = z.object({ missing: z.array(z.string()) })

/** The tables that a restore replaced, if it did not replace the whole database. */
export async function readReplacedTables(
  host: Host,
  folder: string,
): Promise<string[] | undefined> {
  return parseJson(z.array(z.string()), await host.files.read(listIn(folder)))
}

export const recordReplacedTables = (host: Host, folder: string, tables: readonly string[]) =>
  host.files.write(listIn(folder), `${JSON.stringify(tables)}\n`, SECRET)

/** Throws conflict for a site without a database: a table alone does not create it again. */
export async function refuseNoDatabase(host: Host, { user, domain }: Site): Promise<void> {
  if ((await databaseSize(host, user)) !== undefined) return
  throw conflict(`${domain} has no database now: restore the whole database`)
}

/** Takes tables from the dump of a folder. Throws conflict for one that is not in the dump. */
export async function chooseTables(
  host: Host,
  user: string,
  folder: string,
  tables: readonly string[],
): Promise<void> {
  const missing = await reduceDump(host, user, folder, tables)
  if (missing.length > 0) throw conflict(`The backup does not have the table ${missing[0]}`)
}

/** Restores tables from the dump in a folder, and removes those that are not in it. */
export async function restoreTables(
  host: Host,
  site: Site,
  folder: string,
  space: SpaceUse,
): Promise<void> {
  const tables = (await readReplacedTables(host, folder)) ?? []
  await reduceDump(host, site.user, folder, tables)
  await loadTables(host, site, { folder, tables, space })
  await host.files.remove(chosenIn(folder))
}

interface TableSelection {
  /** The folder to which `chooseTables` has written the tables. */
  folder: string
  tables: readonly string[]
  space: SpaceUse
}

/** Replaces tables of a site by those from a dump. Starts MariaDB if it is stopped. */
export async function loadTables(
  host: Host,
  site: Site,
  { folder, tables, space }: TableSelection,
): Promise<void> {
  const { user } = site
  const kept = parseAccount(await host.files.read(accountIn(replacedOf(user))))
  await ensureMariadb(host)
  await reserveAccount(host, user)
  await dropTables(host, user, tables)
  await importDatabase(host, user, chosenIn(folder), space)
  await releaseAccount(host, site, kept?.password_hash)
}

/** Writes a dump of chosen tables beside the dump of a folder; returns the missing tables. */
async function reduceDump(
  host: Host,
  user: string,
  folder: string,
  tables: readonly string[],
): Promise<string[]> {
  const size = (await host.files.stat(dumpIn(folder)))?.size ?? 0
  await host.files.remove(chosenIn(folder))
  const own_program = host.settings.program
  const argv = [...own_program, 'rewrite']
  const input = `${JSON.stringify({ rules: [], skip: [], examples: 0, tables })}\n`
  const timeout_ms = timeFor(size)
  const input_from = { argv: ['cat', '--', dumpIn(folder)], options: { timeout_ms } }
  const limits = { own_program, network: false, home: false, input, timeout_ms }
  const options = { ...asSite({ user }, limits), input_from, output_file: chosenIn(folder) }
  const output = await withSliceInUse(host, user, () => host.shell.try(argv, options))
  const report = parseJson(ReductionReport, output.stderr.trim())
  if (output.code === 0 && output.fed?.code === 0 && report) return report.missing
  throw new Error('The tables could not be taken from the dump of the database')
}

async function dropTables(host: Host, user: string, tables: readonly string[]): Promise<void> {
  const names = tables.map((name) => `\`${name.replaceAll('`', '``')}\``)
  const input = `SET foreign_key_checks = 0;\nDROP TABLE IF EXISTS ${names.join(', ')};\n`
  const argv = ['mariadb', ...clientOf(user), '--binary-mode', '--', user]
  await runAsOwner(host, user, argv, { input, timeout_ms: timeFor(0) }).catch((error: unknown) => {
    if (!(error instanceof CommandFailed)) throw error
    throw new Error(`MariaDB did not drop the tables (${reasonOf(error)})`)
  })
}
