import { invalid } from '#shared/errors.ts'
import type { Effect } from '#shared/plan.ts'
import type { Secret } from '#shared/secret.ts'
import type { Step } from '../commands/command.ts'
import type { Host } from '../host/ports.ts'
import * as effects from './effects.ts'
import { ensureRunning, servicesOf } from './services/index.ts'
import { MARIADB } from './services/known.ts'
import { isRunning } from './services/service.ts'

/** What WordPress and its plugins use; no FILE, no PROCESS, no GRANT OPTION. */
const PRIVILEGES =
  'SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, REFERENCES, CREATE TEMPORARY TABLES, ' +
  'LOCK TABLES, CREATE VIEW, SHOW VIEW, TRIGGER, CREATE ROUTINE, ALTER ROUTINE, EXECUTE, EVENT'

/** Throws invalid on `user` when MariaDB has a database or an account of that name. */
export async function refuseExistingDatabase(host: Host, user: string): Promise<void> {
  const [database, account] = await found(host, user)
  if (database) throw invalid({ user: ['MariaDB already has a database of this name'] })
  if (account) throw invalid({ user: ['MariaDB already has an account of this name'] })
}

/** Whether there is a database, and whether there is an account, of this name. */
async function found({ database }: Host, user: string): Promise<[boolean, boolean]> {
  const schemas = await database.query(
    'SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?',
    [user],
  )
  const accounts = await database.query('SELECT User FROM mysql.global_priv WHERE User = ?', [user])
  return [schemas.length > 0, accounts.length > 0]
}

/** A database and an account of the same name, which may use it from this machine only. */
export async function createDatabase(
  { database }: Host,
  user: string,
  password: Secret,
): Promise<void> {
  await database.query('CREATE DATABASE ?? CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci', [
    user,
  ])
  await database.query("CREATE USER ?@'localhost' IDENTIFIED BY ?", [user, password.reveal()])
  await database.query(`GRANT ${PRIVILEGES} ON ??.* TO ?@'localhost'`, [pattern(user), user])
}

/** What `createDatabase` does. */
export const creatingDatabase = (user: string): Effect[] => [
  effects.create('database', user),
  effects.create('account', accountOf(user)),
]

/** Starts MariaDB when it does not run, as while the machine starts. */
export async function removeDatabase(host: Host, user: string): Promise<void> {
  const { database } = host
  await ensureMariadb(host)
  await database.query("DROP USER IF EXISTS ?@'localhost'", [user])
  await database.query('DROP DATABASE IF EXISTS ??', [user])
}

/** What `removeDatabase` would do; it asks MariaDB where that runs. */
export async function removingDatabase(host: Host, user: string): Promise<Effect[]> {
  const all = [effects.remove('account', accountOf(user)), effects.remove('database', user)]
  if (!(await isRunning(host, MARIADB))) return all
  const [databases, accounts] = await found(host, user)
  return all.filter(({ kind }) => (kind === 'database' ? databases : accounts))
}

export const accountOf = (user: string) => `${user}@localhost`

/** The step that starts MariaDB; none where it runs. */
export async function mariadbSteps(host: Host): Promise<Step[]> {
  const effects = await startingMariadb(host)
  if (effects.length === 0) return []
  return [{ name: 'mariadb', title: 'Starting MariaDB', effects, apply: () => ensureMariadb(host) }]
}

/** What `ensureMariadb` would do. */
export async function startingMariadb(host: Host): Promise<Effect[]> {
  return (await isRunning(host, MARIADB)) ? [] : [effects.create('service', MARIADB.unit)]
}

/** Starts MariaDB when it does not run, and waits until it answers. */
export async function ensureMariadb(host: Host): Promise<void> {
  if (await isRunning(host, MARIADB)) return
  await ensureRunning(host, MARIADB)
  await answering(host)
}

export async function restartMariadb(host: Host): Promise<void> {
  await servicesOf(host).restart(MARIADB)
  await answering(host)
}

async function answering(host: Host): Promise<void> {
  const end = host.clock.elapsed() + 30_000
  for (;;) {
    try {
      await host.database.query('SELECT 1')
      return
    } catch (error) {
      if (host.clock.elapsed() > end) throw error
      await host.clock.sleep(50)
    }
  }
}

/** In a GRANT the name is a pattern, in which `_` and `%` stand for anything. */
function pattern(name: string): string {
  return name.replace(/[_%\\]/g, (sign) => `\\${sign}`)
}
