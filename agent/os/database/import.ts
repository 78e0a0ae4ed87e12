import { CommandFailed } from '#agent/host/errors.ts'
import type { Host } from '#agent/host/ports.ts'
import { clientOf, reasonOf, runAsOwner } from './as-owner.ts'
import { timeFor } from './dump.ts'

const LARGEST_PACKET = 2 ** 30
const SESSION = 'SET SESSION max_statement_time = 0, lock_wait_timeout = 30'

/** MariaDB's errors for statements that need more than rights to tables. */
const NOT_A_TABLE = /^(1044|1045|1142|1143|1148|1227|1290|1370|1410|1419|1449|1698|1873|4166)$/

/**
 * Imports a dump into the database of a site, only with the rights of the site; synced to the disk
 * on return. MariaDB refuses everything but tables. A row of binary data is longer in a dump than
 * in its original statement, so the server accepts longer statements meanwhile.
 */
export async function importDatabase(host: Host, user: string, path: string): Promise<void> {
  const size = (await host.files.stat(path))?.size ?? 0
  const options = ['--binary-mode', '--local-infile=0', `--init-command=${SESSION}`]
  const argv = ['mariadb', ...clientOf(user), ...options, '--', user]
  await host.exclusive('import', async () => {
    const [row] = await host.database.admin('read_packet')
    const usual = Number(row?.bytes ?? 2 ** 24)
    const { database } = host.steady ?? host
    if (size > usual) await database.admin('set_packet', [LARGEST_PACKET])
    try {
      await runAsOwner(host, user, argv, { input_file: path, timeout_ms: timeFor(size) })
    } catch (error) {
      throw quiet(error)
    } finally {
      if (size > usual) await database.admin('set_packet', [usual])
    }
  })
  await host.shell.run(['sync', '--file-system', '--', '/var/lib/mysql'])
}

/** The client quotes statements that it does not understand, which contain data of the site. */
function quiet(error: unknown): unknown {
  if (!(error instanceof CommandFailed)) return error
  const [message, number, line] =
    /^ERROR (\d+) \(\w+\) at line (\d+)/m.exec(error.output.stderr) ?? []
  if (number !== undefined && NOT_A_TABLE.test(number)) {
    const what = 'a view, routine, trigger, event or account statement'
    return new Error(`The dump holds ${what} at line ${line}; only tables are imported`)
  }
  return new Error(`MariaDB did not import the dump (${reasonOf(error, message)})`)
}
