import { z } from 'zod'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { type ChosenTables, databaseSize, streamDatabase, streamTables, timeFor } from './dump.ts'

export const TableDigest = z.object({
  table: z.string().max(256),
  rows: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type TableDigest = z.infer<typeof TableDigest>
/** The digest of a table, and that of its CREATE TABLE as the MariaDB of its server writes it. */
export const DefinedTable = TableDigest.extend({
  definition: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
})
export type DefinedTable = z.infer<typeof DefinedTable>

/** The rows that WordPress and its plugins write with every visit, login or job. */
export const VOLATILE_ROWS = [
  {
    table: '*_options',
    column: 'option_name',
    values: [
      '_transient_*',
      '_site_transient_*',
      'cron',
      'action_scheduler_*',
      '*.lock',
      'recovery_keys',
      'https_detection_errors',
    ],
  },
  { table: '*_sitemeta', column: 'meta_key', values: ['_site_transient_*'] },
  {
    table: '*_usermeta',
    column: 'meta_key',
    values: ['session_tokens', 'wc_last_active', '_woocommerce_persistent_cart_*'],
  },
]

const Report = z.object({ tables: z.array(DefinedTable).max(20_000).default([]) })

/** Parses digests from the last line that `hosting-agent rewrite` wrote. */
export const readDigests = (stderr: string): DefinedTable[] =>
  Report.parse(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).tables

type IgnoredRows = readonly (typeof VOLATILE_ROWS)[number][]
const requestOf = (ignore: IgnoredRows) =>
  `${JSON.stringify({ rules: [], digest: true, definitions: true, ignore, output: false })}\n`

/** Returns digests of the present rows of each table of a site, or of some. */
export async function databaseDigests(
  host: Host,
  { user, domain }: { user: string; domain: string },
  ignore: IgnoredRows = VOLATILE_ROWS,
  only?: readonly string[],
): Promise<DefinedTable[]> {
  const size = await databaseSize(host, user)
  if (size === undefined) throw conflict(`${domain} has no database`)
  let digests: DefinedTable[] = []
  const count = tableCounter(host, user, ignore, (found) => {
    digests = found
  })
  await streamDatabase(host, user, size, count, { only })
  return digests
}

/** Returns the digests of existing tables. The caller is in `withSliceInUse`. */
export async function tableDigests(
  host: Host,
  user: string,
  chosen: ChosenTables,
  ignore: IgnoredRows,
): Promise<DefinedTable[]> {
  let digests: DefinedTable[] = []
  const count = tableCounter(host, user, ignore, (found) => {
    digests = found
  })
  await streamTables(host, user, chosen, count)
  return digests
}

const tableCounter =
  (host: Host, user: string, ignore: IgnoredRows, found: (digests: DefinedTable[]) => void) =>
  async (program: NonNullable<RunOptions['input_from']>) => {
    const counted = await digestRun(host, user, program, ignore)
    found(readDigests(counted.stderr))
    return counted.fed
  }

/** Returns digests of the rows of each table in a dump in a file of root. */
export async function dumpDigests(
  host: Host,
  user: string,
  path: string,
  ignore: IgnoredRows = VOLATILE_ROWS,
): Promise<DefinedTable[]> {
  const timeout_ms = timeFor((await host.files.stat(path))?.size ?? 0)
  const program = { argv: ['cat', '--', path], options: { timeout_ms } }
  return readDigests((await digestRun(host, user, program, ignore)).stderr)
}

/** Runs with the rights of the site: the text of a dump is not trusted. */
function digestRun(
  host: Host,
  user: string,
  input_from: NonNullable<RunOptions['input_from']>,
  ignore: IgnoredRows,
) {
  const { program } = host.settings
  const { timeout_ms = 0 } = input_from.options
  const limits = { own_program: program, network: false, home: false, timeout_ms }
  const options = { ...asSite({ user }, { ...limits, input: requestOf(ignore) }), input_from }
  return host.shell.run([...program, 'rewrite'], options)
}
