import type { AdminStatement } from '#agent/kernel/host/admin-statements.ts'
import type { DatabaseRow } from '#agent/kernel/host/ports.ts'

interface Account {
  hash: string | undefined
  connections: number
  seconds: number
  tables: boolean
  routines: boolean
}

const HASH = `*${'A1'.repeat(20)}`
/** The default character set of a database that no statement created. */
const CHARACTERS = { character_set: 'utf8mb4', collation: 'utf8mb4_unicode_520_ci' }
const TABLES =
  'Select Insert Update Delete Create Drop Index Alter References Create_tmp_table Lock_tables'
const ROUTINES = 'Create_view Show_view Trigger Create_routine Alter_routine Execute Event'

/** The accounts and databases of MariaDB, as the statements of an agent see and change them. */
export class Mariadb<Contents> {
  readonly accounts = new Map<string, Account>()
  readonly databases = new Map<string, Contents>()
  readonly #users = new Map<string, DatabaseRow>()
  readonly #characters = new Map<string, DatabaseRow>()
  readonly #empty: () => Contents
  /** MariaDB's default. */
  #connections = 151

  constructor(empty: () => Contents) {
    this.#empty = empty
  }

  /** Adds the account of a created site. */
  addAccount(user: string): void {
    const hash = HASH
    this.accounts.set(user, { hash, connections: 15, seconds: 60, tables: true, routines: false })
  }

  #temporary(name: unknown, change: object): void {
    const user = String(name)
    const known = this.#users.get(user) ?? { user, name: null, writes: 'N' }
    this.#users.set(user, { ...known, ...change })
  }

  admin(statement: AdminStatement, values: readonly unknown[]): DatabaseRow[] {
    const rows = this.#statements[statement]?.(...values)
    return Array.isArray(rows) ? rows : []
  }

  readonly #statements: Partial<Record<AdminStatement, (...values: unknown[]) => unknown>> = {
    find_database: (name) =>
      this.databases.has(String(name))
        ? [{ name, ...(this.#characters.get(String(name)) ?? CHARACTERS) }]
        : [],
    create_database: (name, character_set, collation) => {
      this.databases.set(String(name), this.#empty())
      this.#characters.set(String(name), { character_set, collation } as DatabaseRow)
    },
    drop_database: (name) => void this.databases.delete(String(name)),
    find_account: (user) => (this.accounts.has(String(user)) ? [{ User: user }] : []),
    read_account: (user) => this.#read(String(user)),
    create_account: (user, _, ...limits) => this.#change(user, { hash: HASH, ...limited(limits) }),
    create_account_without_password: (user) => this.#change(user, { hash: undefined }),
    alter_account: (user, hash, ...limits) =>
      this.#change(user, { hash: String(hash), ...limited(limits) }),
    alter_account_without_password: (user, ...limits) =>
      this.#change(user, { hash: undefined, ...limited(limits) }),
    limit_account: (user, ...limits) => this.#change(user, limited(limits)),
    drop_account: (user) => {
      this.accounts.delete(String(user))
      this.#users.delete(String(user))
    },
    create_temporary_account: (user) => this.#temporary(user, {}),
    grant_reading: (name, user) => this.#temporary(user, { name }),
    list_temporary_accounts: () => [...this.#users.values()],
    read_database_rights: (user) => this.#rights(String(user)),
    grant_tables: (name, user) =>
      this.#users.has(String(user))
        ? this.#temporary(user, { name, writes: 'Y' })
        : this.#change(user, { tables: true }),
    grant_routines: (_, user) => this.#change(user, { routines: true }),
    revoke_routines: (_, user) => this.#change(user, { routines: false }),
    revoke_everything: (user) => this.#change(user, { tables: false, routines: false }),
    read_connections: () => [{ count: this.#connections }],
    set_connections: (count) => {
      this.#connections = Number(count)
    },
    read_packet: () => [{ bytes: 2 ** 24 }],
  }

  #change(name: unknown, change: Partial<Account>): void {
    const user = String(name)
    const fresh = { hash: undefined, connections: 0, seconds: 0, tables: false, routines: false }
    this.accounts.set(user, { ...(this.accounts.get(user) ?? fresh), ...change })
  }

  #read(user: string): DatabaseRow[] {
    const account = this.accounts.get(user)
    if (!account) return []
    const { hash, connections, seconds } = account
    const socket = { plugin: 'unix_socket' }
    const login = hash && {
      plugin: 'mysql_native_password',
      authentication_string: hash,
      auth_or: [{}, socket],
    }
    const limits = { max_user_connections: connections, max_statement_time: seconds }
    return [{ priv: JSON.stringify({ access: 0, ...(login ?? socket), ...limits }) }]
  }

  #rights(user: string): DatabaseRow[] {
    const account = this.accounts.get(user)
    const names = [account?.tables ? TABLES : '', account?.routines ? ROUTINES : '']
      .join(' ')
      .trim()
    if (names === '') return []
    const given = names.split(' ').map((name) => [`${name}_priv`, 'Y'])
    return [
      {
        Host: 'localhost',
        Db: user.replace(/[_%\\]/g, '\\$&'),
        User: user,
        ...Object.fromEntries(given),
      },
    ]
  }
}

const limited = ([connections, seconds]: unknown[]) => ({
  connections: Number(connections),
  seconds: Number(seconds),
})
