import {
  GATEWAY_OPTIONS,
  SETTING_CHANGES,
} from '#agent/features/wordpress/separate/setting-changes.ts'
import { clientOf, reasonOf, runAsOwner } from '#agent/kernel/database/as-owner.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host } from '#agent/kernel/host/ports.ts'

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

/** Returns the tables of options: one, or one for each site of a network. */
export const optionTables = (tables: readonly string[]) =>
  tables.filter((table) => /_options$/.test(table))

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

async function execute(host: Host, user: string, statements: readonly string[]): Promise<void> {
  const session = 'SET SESSION max_statement_time = 0, lock_wait_timeout = 60'
  const input = [session, ...statements].map((statement) => `${statement};\n`).join('')
  const argv = ['mariadb', ...clientOf(user), '--binary-mode', '--', user]
  const options = { input, timeout_ms: 10 * 60_000 }
  await runAsOwner(host, user, argv, options).catch((error: unknown) => {
    if (!(error instanceof CommandFailed)) throw error
    const number = /ERROR (\d+)/.exec(error.output.stderr)?.[1]
    const why = reasonOf(error, number && `error ${number} of MariaDB`)
    throw new Error(`The options of the live site could not be kept (${why})`)
  })
}
