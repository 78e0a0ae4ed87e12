import type { ConcurrencyLimit } from '#agent/kernel/host/concurrency-limit.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { FeederOutput } from '#agent/kernel/host/feeder-output.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { reportProgress } from '#agent/kernel/host/report-progress.ts'
import { refuseFailedFeeder } from '#agent/kernel/sandbox/feeder-failed.ts'
import { clientOf, reasonOf, runAsOwner, tryAsOwner } from './as-owner.ts'
import { timeFor } from './dump.ts'
import { DATABASES, diskError, spaceWatch } from './space-watch.ts'

/**
 * By how much the limit of statements is raised: escaped or in hexadecimal, a row is twice as long as
 * in its original statement. It holds for all sites meanwhile, and MariaDB, which is in no slice of a
 * site, keeps a statement in memory.
 */
const RAISED_BY = 4
const MAX_PACKET = 2 ** 30
/** The maximum for a server: a large import must not delay others, nor many slow its sites. */
const MAX_CONCURRENT = 2
const SESSION = 'SET SESSION max_statement_time = 0, lock_wait_timeout = 30'

/** Matches MariaDB's errors for statements that need more than rights to tables. */
const NOT_A_TABLE = /^(1044|1045|1142|1143|1148|1227|1290|1370|1410|1419|1449|1698|1873|4166)$/

/** Whether an import ends before the disk of MariaDB is full. An undo must not be refused. */
export type SpaceUse = 'leave_some' | 'use_all'

/**
 * Imports a dump into the database of a site, only with the rights of the site; synced to the disk
 * on return. MariaDB refuses everything but tables. A row of binary data is longer in a dump than
 * in its original statement, so the server accepts longer statements meanwhile.
 */
export async function importDatabase(
  host: Host,
  user: string,
  path: string,
  space: SpaceUse,
): Promise<void> {
  const size = (await host.files.stat(path))?.size ?? 0
  await importing(host, size, async () => {
    const tell = reportProgress(host, 'Importing the database', size)
    const watch = space === 'leave_some' ? await spaceWatch(host, user) : undefined
    const seen = (bytes: number) => {
      tell(bytes)
      watch?.options.seen()
    }
    const options = { ...watch?.options, input_file: path, timeout_ms: timeFor(size), seen }
    await runAsOwner(host, user, argvOf(user), options)
      .catch((error) => refuseImportFailure(host, error))
      .catch((error) => {
        throw watch ? watch.explain(error) : error
      })
  })
}

/** Imports the output of a program; throws FeederFailed if that, or one that feeds it, failed. */
export type ImportDump = (
  input_from: NonNullable<RunOptions['input_from']>,
  timeout_ms: number,
) => Promise<FeederOutput>

/**
 * Imports a dump that another program writes meanwhile. `work` starts it when it is its turn, since
 * a dump that waits for the import would hold its locks.
 */
export async function importStream<T>(
  host: Host,
  user: string,
  work: (load: ImportDump) => Promise<T>,
): Promise<T> {
  return importing(host, Number.POSITIVE_INFINITY, () =>
    work(async (input_from, timeout_ms) => {
      const watch = await spaceWatch(host, user)
      const options = { input_from, timeout_ms, ...watch.options }
      const output = await tryAsOwner(host, user, argvOf(user), options)
      try {
        refuseFailedFeeder(output)
        if (output.code !== 0)
          await refuseImportFailure(host, new CommandFailed(argvOf(user), output))
      } catch (error) {
        throw watch.explain(error)
      }
      if (!output.fed) throw new Error('The import of the database had no input')
      return output.fed
    }),
  )
}

function argvOf(user: string): string[] {
  const options = ['--binary-mode', '--local-infile=0', `--init-command=${SESSION}`]
  return ['mariadb', ...clientOf(user), ...options, '--', user]
}

/** The packet limit of the server while imports run. */
interface PacketLimit {
  usual: number
  isRaised: boolean
}

/** The file with the usual limit while that is raised: a killed agent does not lower it. */
const usualPathOf = ({ settings }: Host) => `${settings.state_dir}/usual-packet`

function sharingOf(host: Host): ConcurrencyLimit<PacketLimit> {
  const { database, files } = host.steady ?? host
  return {
    most: MAX_CONCURRENT,
    waits: () => host.tell?.(`Waiting: ${MAX_CONCURRENT} imports of databases run on this server`),
    async first() {
      const kept = await files.read(usualPathOf(host))
      if (kept !== undefined) return { usual: Number(kept), isRaised: true }
      const [row] = await host.database.admin('read_packet')
      return { usual: Number(row?.bytes ?? 2 ** 24), isRaised: false }
    },
    async last({ usual, isRaised }) {
      if (!isRaised) return
      await database.admin('set_packet', [usual])
      await files.remove(usualPathOf(host))
    },
  }
}

/** Lowers the packet limit at the start of the agent, if a killed one has left it raised. */
export async function lowerPacketLimit(host: Host): Promise<void> {
  if (await host.files.stat(usualPathOf(host)))
    await host.shared('import', sharingOf(host), async () => undefined)
}

async function importing<T>(host: Host, size: number, work: () => Promise<T>): Promise<T> {
  const { database, files } = host.steady ?? host
  const result = await host.shared('import', sharingOf(host), async (packet) => {
    if (size > packet.usual) {
      if (!packet.isRaised) await files.write(usualPathOf(host), String(packet.usual))
      packet.isRaised = true
      await database.admin('set_packet', [Math.min(MAX_PACKET, RAISED_BY * packet.usual)])
    }
    return work()
  })
  await host.shell.run(['sync', '--file-system', '--', DATABASES])
  return result
}

/** The size by which InnoDB extends its files. */
const EXTENT = 64 * 2 ** 20

/** Throws an error of a full disk, which the client does not always print. */
async function refuseImportFailure({ files }: Host, error: unknown): Promise<never> {
  const refusal = withoutData(error)
  const space = await files.space(DATABASES).catch(() => undefined)
  if (!(error instanceof CommandFailed) || !space || space.free > EXTENT) throw refusal
  throw diskError('The disk is too full for the import', space.free, refusal)
}

/** Removes the output of the client, which quotes statements with data of the site. */
function withoutData(error: unknown): unknown {
  if (!(error instanceof CommandFailed)) return error
  const [message, number, line] =
    /^ERROR (\d+) \(\w+\) at line (\d+)/m.exec(error.output.stderr) ?? []
  if (number !== undefined && NOT_A_TABLE.test(number)) {
    const what = 'a view, routine, trigger, event or account statement'
    return new Error(`The dump contains ${what} at line ${line}; only tables are imported`)
  }
  return new Error(`MariaDB did not import the dump (${reasonOf(error, message)})`)
}
