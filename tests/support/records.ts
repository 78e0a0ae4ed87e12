import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import { cachedFolder } from '#scripts/lib/cache.ts'
import { markedWith, SEAL_SECRET } from './marks.ts'

const MARKS = join(import.meta.dir, '../../dashboard/kernel/db/marks.ts')
const MIGRATIONS = join(import.meta.dir, '../../dashboard/kernel/db/migrations')
export const ADMIN = { email: 'ann@control.example', password: 'correct horse battery staple' }
/** The dashboard uses the cost written in a hash: such a login is instant. */
const CHEAP = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 } as const

let kept: Promise<Uint8Array> | undefined

/**
 * The records of a dashboard after its migrations, with a first user whose password is cheap to
 * check: for tests of other subjects. `others` have that password too. Made once for all runs with
 * these migrations. Their seal-secret is beside them.
 */
export async function copyRecords(to: string, others: readonly string[] = []): Promise<void> {
  kept ??= cachedRecords()
  await Bun.write(to, await kept)
  await Bun.write(join(dirname(to), 'seal-secret'), SEAL_SECRET)
  if (others.length === 0) return
  const database = new Database(to)
  const first = database.query<Omit<UserRow, 'mark' | 'factor_id'>, []>(
    'select id, email, name, password_hash, created_at from users where id = 1',
  )
  const known = first.get()
  if (!known) throw new Error('The records have no first user')
  const insert = database.query(
    'insert into users (id, email, name, password_hash, created_at, mark) values (?, ?, ?, ?, ?, ?)',
  )
  for (const [at, email] of others.entries()) {
    const row = { ...known, id: at + 2, email }
    const { id, name, password_hash, created_at } = row
    insert.run(id, email, name, password_hash, created_at, markedWith().of('users', row))
  }
  const grant = database.query(
    "insert into grants (user_id, gives, given_at, mark) values (?, 'owner', ?, ?)",
  )
  for (const user_id of others.map((_, at) => at + 2)) {
    const values = { user_id, gives: 'owner', given_at: known.created_at } as const
    grant.run(user_id, values.given_at, markedWith().of('grants', values))
  }
  database.close()
}

/** Read once: another checkout may replace it at any time. */
async function cachedRecords(): Promise<Uint8Array> {
  const folder = await cachedFolder('test-records', await digest(), make)
  return Bun.file(`${folder}/dashboard.db`).bytes()
}

async function digest(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(import.meta.path))
  hash.update(await readFile(MARKS))
  for (const name of (await readdir(MIGRATIONS)).sort()) {
    if (name.endsWith('.sql')) hash.update(await readFile(join(MIGRATIONS, name)))
  }
  return hash.update(await readFile(join(MIGRATIONS, 'meta/_journal.json'))).digest('hex')
}

async function make(draft: string): Promise<void> {
  const { openDatabase } = await import('#dashboard/kernel/db/client.ts')
  const { insertUser } = await import('#dashboard/kernel/auth/grants.queries.ts')
  const db = await openDatabase(`file:${draft}/dashboard.db`)
  await insertUser(
    { db, marks: markedWith() },
    {
      id: 1,
      email: ADMIN.email,
      name: 'Administrator',
      password_hash: await Bun.password.hash(ADMIN.password, CHEAP),
      created_at: new Date().toISOString(),
    },
    ['owner'],
  )
  db.close()
  // libSQL leaves changes in its log, and only the main file is copied.
  const written = new Database(`${draft}/dashboard.db`)
  written.run('pragma wal_checkpoint(truncate)')
  written.close()
}
