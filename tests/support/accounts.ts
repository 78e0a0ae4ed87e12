import { Database } from 'bun:sqlite'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Grant, PartGrant } from '#shared/kernel/rights.ts'
import { markedWith } from './marks.ts'

const CHEAP = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 } as const

interface Account {
  email: string
  password: string
  gives: readonly Grant[]
  /** On parts of the fleet. */
  parts?: readonly PartGrant[]
}

/** Adds an account to the records in the DATA_DIR of a dashboard, which may be running. */
export async function addAccount(data_dir: string, account: Account): Promise<void> {
  const { database, marks } = await open(data_dir)
  const { id } = database
    .query<{ id: number }, []>('select max(id) + 1 as id from users')
    .get() ?? { id: 1 }
  const password_hash = await Bun.password.hash(account.password, CHEAP)
  const row = {
    id,
    email: account.email,
    name: account.gives.join(),
    password_hash,
    created_at: new Date().toISOString(),
  }
  database
    .query(
      'insert into users (id, email, name, password_hash, created_at, mark) values (?, ?, ?, ?, ?, ?)',
    )
    .run(...Object.values(row), marks.of('users', row))
  database.close()
  await setGrants(data_dir, account)
}

/** Replaces what an account is granted, as another dashboard on the same records would. */
export async function setGrants(
  data_dir: string,
  { email, gives, parts = [] }: Pick<Account, 'email' | 'gives' | 'parts'>,
): Promise<void> {
  const { database, marks } = await open(data_dir)
  const user = database
    .query<{ id: number }, [string]>('select id from users where email = ?')
    .get(email)
  if (!user) throw new Error(`There is no account ${email}`)
  database.query('delete from grants where user_id = ?').run(user.id)
  for (const grant of gives) {
    const row = { user_id: user.id, gives: grant, given_at: new Date().toISOString() }
    database
      .query('insert into grants (user_id, gives, given_at, mark) values (?, ?, ?, ?)')
      .run(row.user_id, row.gives, row.given_at, marks.of('grants', row))
  }
  database.query('delete from part_grants where user_id = ?').run(user.id)
  for (const { gives, tag, server_id, site_id } of parts) {
    const given_at = new Date().toISOString()
    const row = { user_id: user.id, gives, tag, server_id, site_id, given_at }
    database
      .query(
        'insert into part_grants (user_id, gives, tag, server_id, site_id, given_at, mark) values (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(...Object.values(row), marks.of('part_grants', row))
  }
  database.close()
}

async function open(data_dir: string) {
  const database = new Database(join(data_dir, 'dashboard.db'))
  database.exec('pragma busy_timeout = 10000')
  const secret = await readFile(join(data_dir, 'seal-secret'), 'utf8')
  return { database, marks: markedWith(secret.trim()) }
}
