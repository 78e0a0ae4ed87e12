import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { and, eq } from 'drizzle-orm'
import { api_tokens, sessions } from './auth-schema.ts'
import { type Database, writeAll } from './client.ts'
import type { MarkedRow, MarkedTable, Marks } from './marks.ts'
import type { Known } from './migrations.ts'
import { users } from './schema.ts'
import { server_agents } from './trust-schema.ts'

/**
 * Files beside the seal-secret, since the database cannot say whether its rows have marks: whoever
 * writes there can also undo the migration. `marks-pending`: this dashboard is about to add them.
 */
const pendingIn = (data_dir: string) => `${data_dir}/marks-pending`
const doneIn = (data_dir: string) => `${data_dir}/marks-done`

const isThere = (path: string) => stat(path).then(Boolean, () => false)

/** Whether these migrations add the marks to the records of an earlier version. */
export const addMarks = (migrations: readonly Known[]): boolean =>
  migrations.some(({ sql }) => sql.some((text) => text.includes('ALTER TABLE `users` ADD `mark`')))

/** Before the migration: nobody else starts a dashboard on these records at that time. */
export async function expectMarks(data_dir: string): Promise<void> {
  if (await isThere(doneIn(data_dir))) return
  await writeFile(pendingIn(data_dir), '', { mode: 0o600 })
}

/** Marks the rows of an earlier version, if this dashboard has just migrated it; once only. */
export async function markOnce(data_dir: string, db: Database, marks: Marks): Promise<void> {
  if (await isThere(doneIn(data_dir))) return
  if (await isThere(pendingIn(data_dir))) {
    await markRows(db, marks)
    await rename(pendingIn(data_dir), doneIn(data_dir))
  } else await writeFile(doneIn(data_dir), '', { mode: 0o600 })
}

/** For a restore of a backup of an earlier version, which the operator trusts. */
export async function forgetMarks(data_dir: string): Promise<void> {
  await rm(doneIn(data_dir), { force: true })
}

async function markRows(db: Database, marks: Marks): Promise<void> {
  const found = await listMarked(db)
  await writeAll(db, (queries) => [
    ...found.users
      .filter(({ mark }) => mark === '')
      .map((row) =>
        queries
          .update(users)
          .set({ mark: marks.of('users', row) })
          .where(and(eq(users.id, row.id), eq(users.mark, ''))),
      ),
    ...found.sessions
      .filter(({ mark }) => mark === '')
      .map((row) =>
        queries
          .update(sessions)
          .set({ mark: marks.of('sessions', row) })
          .where(and(eq(sessions.jti, row.jti), eq(sessions.mark, ''))),
      ),
    ...found.api_tokens
      .filter(({ mark }) => mark === '')
      .map((row) =>
        queries
          .update(api_tokens)
          .set({ mark: marks.of('api_tokens', row) })
          .where(and(eq(api_tokens.hash, row.hash), eq(api_tokens.mark, ''))),
      ),
    ...found.server_agents
      .filter(({ mark }) => mark === '')
      .map((row) =>
        queries
          .update(server_agents)
          .set({ mark: marks.of('server_agents', row) })
          .where(and(eq(server_agents.server_id, row.server_id), eq(server_agents.mark, ''))),
      ),
  ])
}

export type AllMarked = { [T in MarkedTable]: MarkedRow<T>[] }

/** Every row that has a mark, or should have one. */
export async function listMarked(db: Pick<Database, 'read'>): Promise<AllMarked> {
  return {
    users: await db.read.select().from(users),
    sessions: await db.read.select().from(sessions),
    api_tokens: await db.read.select().from(api_tokens),
    server_agents: await db.read.select().from(server_agents),
  }
}
