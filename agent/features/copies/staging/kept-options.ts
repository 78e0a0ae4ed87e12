import {
  GATEWAY_OPTIONS,
  SETTING_CHANGES,
} from '#agent/features/wordpress/separate/setting-changes.ts'
import { clientOf, reasonOf, runAsOwner } from '#agent/kernel/database/as-owner.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host, Output } from '#agent/kernel/host/ports.ts'

/** The name of the table that exists only while options are replaced. */
const KEPT = 'hosting_kept_options'

/** The options that a live site keeps: its address, its jobs, and what staging switches off. */
const NAMES = [
  ...new Set(['siteurl', 'home', 'cron', ...SETTING_CHANGES.map(({ option }) => option)]),
]
const PATTERNS = [GATEWAY_OPTIONS, '\\_transient\\_%', '\\_site\\_transient\\_%']

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const CONDITION = [
  `option_name IN (${NAMES.map(quoted).join(', ')})`,
  ...PATTERNS.map((pattern) => `option_name LIKE ${quoted(pattern.replaceAll('\\', '\\\\'))}`),
].join(' OR ')

const named = (table: string) => `\`${table.replaceAll('`', '``')}\``
const COLUMNS = 'option_name, option_value, autoload'

/** Selects the tables with the columns that WordPress gives to options; plugins have other ones. */
const OPTION_TABLES = `SELECT HEX(TABLE_NAME) FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '%\\_options'
  AND COLUMN_NAME IN ('option_name', 'option_value', 'autoload')
  GROUP BY TABLE_NAME HAVING COUNT(*) = 3`

/**
 * Returns those of the tables that hold options of the live site: one, or one for each site of a
 * network. A table that only the other site has is none of them.
 */
export async function optionTables(
  host: Host,
  user: string,
  tables: readonly string[],
): Promise<string[]> {
  const { stdout } = await execute(host, user, [OPTION_TABLES])
  const found = stdout.split('\n').map((hex) => Buffer.from(hex, 'hex').toString('utf8'))
  return tables.filter((table) => found.includes(table))
}

/** Stores the options of the live site. Undo and repetition first remove the table. */
export const keepOptions = (host: Host, user: string, tables: readonly string[]) =>
  execute(host, user, [
    `DROP TABLE IF EXISTS ${KEPT}`,
    ...tables.map((table, at) => {
      const rows = `SELECT ${quoted(table)} AS kept_of, ${COLUMNS} FROM ${named(table)} WHERE ${CONDITION}`
      return at === 0 ? `CREATE TABLE ${KEPT} AS ${rows}` : `INSERT INTO ${KEPT} ${rows}`
    }),
  ])

export const restoreOptions = (host: Host, user: string, tables: readonly string[]) =>
  execute(host, user, [
    ...tables.flatMap((table) => [
      `DELETE FROM ${named(table)} WHERE ${CONDITION}`,
      `INSERT INTO ${named(table)} (${COLUMNS}) SELECT ${COLUMNS} FROM ${KEPT} WHERE kept_of = ${quoted(table)}`,
    ]),
    `DROP TABLE ${KEPT}`,
  ])

export const removeKeptOptions = (host: Host, user: string) =>
  execute(host, user, [`DROP TABLE IF EXISTS ${KEPT}`])

async function execute(host: Host, user: string, statements: readonly string[]): Promise<Output> {
  const session = 'SET SESSION max_statement_time = 0, lock_wait_timeout = 60'
  const input = [session, ...statements].map((statement) => `${statement};\n`).join('')
  const client = ['mariadb', ...clientOf(user), '--binary-mode', '--batch', '--skip-column-names']
  const argv = [...client, '--', user]
  const options = { input, timeout_ms: 10 * 60_000 }
  return runAsOwner(host, user, argv, options).catch((error: unknown) => {
    if (!(error instanceof CommandFailed)) throw error
    const number = /ERROR (\d+)/.exec(error.output.stderr)?.[1]
    const why = reasonOf(error, number && `error ${number} of MariaDB`)
    throw new Error(`The options of the live site could not be kept (${why})`)
  })
}
