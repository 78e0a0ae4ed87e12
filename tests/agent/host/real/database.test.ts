import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#agent/host/real/database.ts'

const folder = await mkdtemp(join(tmpdir(), 'mariadb-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('reports immediately that MariaDB is not running', async () => {
  const database = openDatabase({ socket: join(folder, 'nobody.sock'), option_files: [] })

  await expect(database.admin('answers')).rejects.toMatchObject({ problem: 'stopped' })
})

test('queries a hanging database once, and then pauses', async () => {
  const socket = join(folder, 'silent.sock')
  let connections = 0
  const silent = createServer(() => {
    connections++
  })
  await new Promise<void>((resolve) => silent.listen(socket, resolve))
  const database = openDatabase({ socket, option_files: [], connect_ms: 300 })

  await expect(database.admin('answers')).rejects.toMatchObject({ problem: 'silent' })
  const again = Array.from({ length: 200 }, () => database.admin('answers'))
  const outcomes = await Promise.allSettled(again)

  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  expect(connections).toBe(1)
  silent.close()
})
