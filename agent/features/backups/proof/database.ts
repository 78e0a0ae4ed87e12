import { z } from 'zod'
import type { Manifest } from '#agent/features/backups/manifest.ts'
import { DUMP } from '#agent/features/backups/manifest.ts'
import { dumpIn, fetchedOf } from '#agent/features/backups/places.ts'
import { type Opened, runRestic } from '#agent/features/backups/restic/run.ts'
import { reserveAccount } from '#agent/kernel/database/account.ts'
import { databaseSize, streamDatabase, timeFor } from '#agent/kernel/database/dump.ts'
import { importDatabase } from '#agent/kernel/database/import.ts'
import { createEmptyDatabase } from '#agent/kernel/database/mariadb.ts'
import { DATABASES } from '#agent/kernel/database/space-watch.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'

type Database = NonNullable<Manifest['database']>

/** Fetches the dump to a file of root. Returns whether it is the one that was saved. */
export async function fetchDump(
  host: Host,
  opened: Opened,
  user: string,
  { snapshot, sha256, bytes }: Database,
): Promise<boolean> {
  const path = dumpIn(fetchedOf(user))
  const timeout_ms = timeFor(bytes)
  const args = ['dump', snapshot, `/${DUMP}`]
  await runRestic(host, opened, args, { output_file: path, timeout_ms })
  const { stdout } = await host.shell.run(['sha256sum', '--', path], { timeout_ms })
  return stdout.startsWith(sha256)
}

/**
 * Imports the dump; only programs that run as the hidden site can use its account. Returns why
 * MariaDB refuses it. Throws if the disk has become full.
 */
export async function loadDump(
  host: Host,
  user: string,
  { character_set, collation, bytes }: Database,
): Promise<string | undefined> {
  await createEmptyDatabase(host, user, { character_set, collation })
  await reserveAccount(host, user)
  try {
    await importDatabase(host, user, dumpIn(fetchedOf(user)), 'leave_some')
  } catch (error) {
    const { free } = await host.files.space(DATABASES)
    if (!(error instanceof Error) || isDiskFull(error) || free < bytes) throw error
    return error.message
  }
  return undefined
}

const Digests = z.object({
  tables: z.array(z.object({ table: z.string(), rows: z.int(), sha256: z.string() })),
})
type Digests = z.infer<typeof Digests>['tables']

/** The tables of the dump and of the loaded database, by the digests of their rows. */
export async function compareDatabase(
  host: Host,
  user: string,
): Promise<{ tables: number; rows: number; differing: number }> {
  const path = dumpIn(fetchedOf(user))
  const bytes = (await host.files.stat(path))?.size ?? 0
  const options = { timeout_ms: timeFor(bytes) }
  const saved = await digestsOf(host, user, { argv: ['cat', '--', path], options })
  const loaded = await loadedDigests(host, user)
  const known = new Map(loaded.map((table) => [table.table, table]))
  const same = saved.filter(({ table, rows, sha256 }) => {
    const other = known.get(table)
    return other?.rows === rows && other.sha256 === sha256
  })
  const differing = Math.max(saved.length, loaded.length) - same.length
  return { tables: same.length, rows: sum(same), differing }
}

const sum = (tables: Digests) => tables.reduce((total, { rows }) => total + rows, 0)

async function loadedDigests(host: Host, user: string): Promise<Digests> {
  let digests: Digests = []
  const size = (await databaseSize(host, user)) ?? 0
  await streamDatabase(host, user, size, async (input_from) => {
    const counted = await counting(host, user, input_from)
    digests = readDigests(counted.stderr)
    return counted.fed
  })
  return digests
}

const digestsOf = async (host: Host, user: string, input_from: Feeder): Promise<Digests> =>
  readDigests((await counting(host, user, input_from)).stderr)

type Feeder = NonNullable<RunOptions['input_from']>

const REQUEST = `${JSON.stringify({ rules: [], digest: true, output: false })}\n`

/** With the rights of the hidden site: the text of a dump is not trusted. */
function counting(host: Host, user: string, input_from: Feeder) {
  const { program } = host.settings
  const { timeout_ms = 0 } = input_from.options
  const limits = { network: false, home: false, idle: true, timeout_ms }
  const options = { ...limits, own_program: program }
  return host.shell.run([...program, 'rewrite'], {
    ...asSite({ user }, { ...options, input: REQUEST }),
    input_from,
  })
}

/** The report is the last line. */
const readDigests = (stderr: string): Digests =>
  Digests.parse(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).tables
