import { z } from 'zod'
import {
  countingRequestFor,
  type DestinationSite,
  type OriginalSite,
  readReport,
} from '#agent/features/wordpress/addresses/addresses.ts'
import { databaseSize, streamDatabase, timeFor } from '#agent/kernel/database/dump.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import type { AddressReport } from '#shared/copies/copy-source.ts'
import { conflict } from '#shared/kernel/errors.ts'

const MAX_TABLES = 20_000
const amount = z.int().nonnegative()

const ChangeCounts = z.object({
  tables: z
    .array(
      z.object({
        table: z.string().max(256),
        rows: amount,
        columns: z.array(
          z.object({
            column: z.string().max(256),
            changed: amount,
            replaced: z.record(z.string(), amount),
            serialized: amount,
          }),
        ),
      }),
    )
    .max(MAX_TABLES)
    .default([]),
})

/** The replacements that a change of addresses would make, by table. */
export interface AddressChanges extends AddressReport {
  tables: z.infer<typeof ChangeCounts>['tables']
}

type Feeder = NonNullable<RunOptions['input_from']>

/** Counts the changes in the present database of a site, with its rights; changes nothing. */
export async function countChanges(
  host: Host,
  from: OriginalSite,
  to: DestinationSite,
): Promise<AddressChanges> {
  const size = await databaseSize(host, from.user)
  if (size === undefined) throw conflict(`${from.domain} has no database`)
  let changes: AddressChanges | undefined
  await streamDatabase(host, from.user, size, async (program) => {
    const { fed, stderr } = await countWith(host, { from, to, program, timeout_ms: timeFor(size) })
    changes = changesIn(stderr)
    return fed
  })
  if (!changes) throw new Error('The addresses in the database were not counted')
  return changes
}

/** Counts the changes in a dump in a file of root. */
export async function countChangesIn(
  host: Host,
  path: string,
  from: OriginalSite,
  to: DestinationSite,
): Promise<AddressChanges> {
  const timeout_ms = timeFor((await host.files.stat(path))?.size ?? 0)
  const program = { argv: ['cat', '--', path], options: { timeout_ms } }
  const { fed, stderr } = await countWith(host, { from, to, program, timeout_ms })
  if (fed?.code !== 0) throw new Error('The dump could not be read')
  return changesIn(stderr)
}

interface CountOptions {
  from: OriginalSite
  to: DestinationSite
  program: Feeder
  timeout_ms: number
}

/** Runs with the rights of the site: the text of a dump is not trusted. */
function countWith(host: Host, { from, to, program, timeout_ms }: CountOptions) {
  const own = host.settings.program
  const options = asSite(to, {
    input: countingRequestFor(from, to),
    input_from: program,
    own_program: own,
    network: false,
    home: false,
    timeout_ms,
  })
  return host.shell.run([...own, 'rewrite'], options)
}

/** Parses the report in the last line that the program wrote. Throws for anything else. */
function changesIn(stderr: string): AddressChanges {
  const line = stderr.trimEnd().split('\n').at(-1) ?? ''
  const { tables } = ChangeCounts.parse(JSON.parse(line))
  return { ...readReport(stderr), tables }
}
