import { CommandFailed } from '../host/errors.ts'
import type { Host } from '../host/ports.ts'
import { isDiskFull } from '../host/storage.ts'

/** As root over the local socket, whatever an administrator's own option files say. */
const ROOT = [
  '--no-defaults',
  '--user=root',
  '--socket=/run/mysqld/mysqld.sock',
  '--default-character-set=utf8mb4',
  '--max-allowed-packet=1G',
]
const WHOLE = ['--single-transaction', '--quick', '--routines', '--triggers', '--events']
const LARGEST_PACKET = 2 ** 30
const TIMEOUT_MS = 12 * 3_600_000

/** Bytes of the tables as MariaDB counts them; undefined: there is no such database. */
export async function databaseSize({ database }: Host, name: string): Promise<number | undefined> {
  const [row] = await database.query(
    'SELECT (SELECT SUM(DATA_LENGTH) FROM information_schema.TABLES WHERE TABLE_SCHEMA = SCHEMA_NAME) AS bytes FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?',
    [name],
  )
  return row && Number(row.bytes ?? 0)
}

/** All of a database in a file of root's, which is on the disk when this returns. */
export async function dumpDatabase(host: Host, name: string, path: string): Promise<void> {
  const target = ['--hex-blob', `--result-file=${path}`, '--databases', name]
  const options = { umask: 0o077, timeout_ms: TIMEOUT_MS }
  await host.shell.run(['mariadb-dump', ...ROOT, ...WHOLE, ...target], options)
  if (!(await host.files.stat(path))?.size) throw new Error('mariadb-dump wrote nothing')
  await host.shell.run(['sync', '--', path])
}

/**
 * What `dumpDatabase` wrote, on the disk when this returns. A row of binary data is longer in a dump
 * than it was on its way in, so that the server must take longer statements meanwhile.
 */
export async function importDatabase(host: Host, path: string): Promise<void> {
  await host.exclusive('import', async () => {
    const [row] = await host.database.query('SELECT @@GLOBAL.max_allowed_packet AS bytes')
    const usual = Number(row?.bytes ?? 2 ** 24)
    const longer = ((await host.files.stat(path))?.size ?? 0) > usual
    const { database } = host.steady ?? host
    const set = (bytes: number) => database.query('SET GLOBAL max_allowed_packet = ?', [bytes])
    if (longer) await set(LARGEST_PACKET)
    try {
      const options = { input_file: path, timeout_ms: TIMEOUT_MS }
      await host.shell.run(['mariadb', ...ROOT, '--binary-mode'], options)
    } catch (error) {
      throw quiet(error)
    } finally {
      if (longer) await set(usual)
    }
  })
  await host.shell.run(['sync', '--file-system', '--', '/var/lib/mysql'])
}

/** The client repeats what it did not understand, which are the contents of somebody's site. */
function quiet(error: unknown): unknown {
  if (!(error instanceof CommandFailed)) return error
  const { code, stderr } = error.output
  const words = /^ERROR \d+ \(\w+\) at line \d+/m.exec(stderr)?.[0] ?? `exit status ${code}`
  const why = isDiskFull(stderr) ? `${words}: no space left on device` : words
  return new Error(`mariadb did not take the dump back (${why})`)
}

/** The statements that make the account of a site again, with its password as the hash that it is. */
export async function accountStatements({ database }: Host, user: string): Promise<string[]> {
  const known = await database.query(
    "SELECT User FROM mysql.global_priv WHERE User = ? AND Host = 'localhost'",
    [user],
  )
  if (known.length === 0) return []
  const rows = [
    ...(await database.query("SHOW CREATE USER ?@'localhost'", [user])),
    ...(await database.query("SHOW GRANTS FOR ?@'localhost'", [user])),
  ]
  return rows.flatMap((row) => Object.values(row).map(String))
}

export async function restoreAccount(
  { database }: Host,
  statements: readonly string[],
): Promise<void> {
  for (const statement of statements) {
    await database.query(statement).catch(() => {
      throw new Error('MariaDB did not take the account of the site back')
    })
  }
}
