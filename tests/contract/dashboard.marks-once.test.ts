// tier: core
import { Database } from 'bun:sqlite'
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { addMarks } from '#dashboard/db/mark-once.ts'
import { knownMigrations } from '#dashboard/db/migrations.ts'
import { Client } from '#tests/support/client.ts'
import { SEAL_SECRET } from '#tests/support/marks.ts'
import {
  ADMIN,
  runRecords,
  startDashboard,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'

setDefaultTimeout(60_000)
afterAll(sweep)

/** Records of the last version without marks. */
async function writeFormer(file: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(file + end, { force: true })
  const known = knownMigrations()
  const database = new Database(file)
  database.run(
    'CREATE TABLE __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
  )
  for (const { sql, hash, created_at } of known.slice(
    0,
    known.findIndex((one) => addMarks([one])),
  )) {
    for (const statement of sql) database.run(statement)
    database.run('insert into __drizzle_migrations (hash, created_at) values (?, ?)', [
      hash,
      created_at,
    ])
  }
  const password_hash = await Bun.password.hash(ADMIN.password, {
    ...{ algorithm: 'argon2id', memoryCost: 8, timeCost: 1 },
  })
  database.run('insert into users (email, name, password_hash, created_at) values (?, ?, ?, ?)', [
    ...[ADMIN.email, 'Administrator', password_hash, '2026-01-01T00:00:00.000Z'],
  ])
  database.close()
}

async function loginAt(folder: string, env: Record<string, string> = {}): Promise<number> {
  const dashboard = await startDashboard(folder, env)
  const { status } = await new Client(dashboard.url).login(ADMIN)
  await dashboard.kill()
  return status
}

test('an update marks the records once, and nobody can have it repeated', async () => {
  const folder = await temporaryFolder('dashboard')
  const file = `${folder}/dashboard.db`
  await Bun.write(`${folder}/seal-secret`, SEAL_SECRET)
  await writeFormer(file)
  expect(await loginAt(folder)).toBe(200)
  expect(await loginAt(folder)).toBe(200)

  await writeFormer(file)

  expect(await loginAt(folder)).toBe(401)
})

test('a further dashboard on marked records marks none', async () => {
  const [first, second] = [await temporaryFolder('first'), await temporaryFolder('second')]
  const file = `${first}/dashboard.db`
  await Bun.write(`${first}/seal-secret`, SEAL_SECRET)
  await Bun.write(`${second}/seal-secret`, SEAL_SECRET)
  await writeFormer(file)
  expect(await loginAt(first)).toBe(200)
  const env = { DATABASE_URL: `file:${file}` }
  expect(await loginAt(second, env)).toBe(200)
  const database = new Database(file)
  database.run("update users set mark = ''")
  database.close()

  await rm(`${second}/marks-done`)

  expect(await loginAt(second, env)).toBe(401)
})

test('a restored backup of an earlier version is marked, since the operator trusts it', async () => {
  const folder = await temporaryFolder('dashboard')
  await Bun.write(`${folder}/seal-secret`, SEAL_SECRET)
  await writeFormer(`${folder}/dashboard.db`)
  expect((await runRecords(folder, ['backup', `${folder}/former.tar`])).code).toBe(0)
  expect(await loginAt(folder)).toBe(200)

  expect((await runRecords(folder, ['restore', `${folder}/former.tar`])).code).toBe(0)

  expect(await loginAt(folder)).toBe(200)
})
