import { z } from 'zod'
import {
  countingRequestFor,
  type Destination,
  type Original,
  readReport,
} from '#agent/features/wordpress/addresses/addresses.ts'
import { databaseSize, streamDatabase, timeFor } from '#agent/kernel/database/dump.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import type { AddressReport } from '#shared/copies/copy.ts'
import { conflict } from '#shared/kernel/errors.ts'

const MOST = 20_000
const amount = z.int().nonnegative()

const Counted = z.object({
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
    .max(MOST)
    .default([]),
})

/** What a change of the addresses of a database would replace, by table. */
export interface AddressChanges extends AddressReport {
  tables: z.infer<typeof Counted>['tables']
}

type Feeder = NonNullable<RunOptions['input_from']>

/** Reads the present database of a site, with its rights, and changes nothing. */
export async function countChanges(
  host: Host,
  from: Original,
  to: Destination,
): Promise<AddressChanges> {
  const size = await databaseSize(host, from.user)
  if (size === undefined) throw conflict(`${from.domain} has no database`)
  let changes: AddressChanges | undefined
  await streamDatabase(host, from.user, size, async (program) => {
    const { fed, stderr } = await counted(host, { from, to, program, timeout_ms: timeFor(size) })
    changes = changesIn(stderr)
    return fed
  })
  if (!changes) throw new Error('The addresses in the database were not counted')
  return changes
}

/** The same for a dump in a file of root. */
export async function countChangesIn(
  host: Host,
  path: string,
  from: Original,
  to: Destination,
): Promise<AddressChanges> {
  const timeout_ms = timeFor((await host.files.stat(path))?.size ?? 0)
  const program = { argv: ['cat', '--', path], options: { timeout_ms } }
  const { fed, stderr } = await counted(host, { from, to, program, timeout_ms })
  if (fed?.code !== 0) throw new Error('The dump could not be read')
  return changesIn(stderr)
}

interface Counting {
  from: Original
  to: Destination
  program: Feeder
  timeout_ms: number
}

/** With the rights of the site: the text of a dump is not trusted. */
function counted(host: Host, { from, to, program, timeout_ms }: Counting) {
  const own = host.settings.program
  const options = asSite(to, {
    ...{ input: countingRequestFor(from, to), input_from: program },
    ...{ own_program: own, network: false, home: false, timeout_ms },
  })
  return host.shell.run([...own, 'rewrite'], options)
}

/** The report in the last line that the program wrote. Throws for anything else. */
function changesIn(stderr: string): AddressChanges {
  const line = stderr.trimEnd().split('\n').at(-1) ?? ''
  const { tables } = Counted.parse(JSON.parse(line))
  return { ...readReport(stderr), tables }
}
