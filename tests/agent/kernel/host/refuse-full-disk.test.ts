import { expect, test } from 'bun:test'
import type { AdminStatement } from '#agent/kernel/host/admin-statements.ts'
import { refusingFullDisk } from '#agent/kernel/host/refuse-full-disk.ts'

const CALLS: AdminStatement[] = [
  ...(['create_database', 'limit_account', 'grant_tables', 'revoke_everything'] as const),
  ...(['drop_database', 'drop_account', 'end_connections', 'find_account'] as const),
]

/** Which statements MariaDB gets, and the first refusal. */
async function passed(space: () => Promise<{ free: number; total: number }>) {
  const got: AdminStatement[] = []
  const admin = async (statement: AdminStatement) => {
    got.push(statement)
    return []
  }
  const database = refusingFullDisk({ admin }, { space })
  const ends = await Promise.allSettled(CALLS.map((statement) => database.admin(statement)))
  const failure = ends.find((end) => end.status === 'rejected')
  return [got.sort(), failure && String(failure.reason)]
}

const all = CALLS.toSorted()

test('a full disk of MariaDB refuses what writes, and nothing that frees space', async () => {
  expect(await passed(async () => ({ free: 2 ** 20 - 1, total: 1e9 }))).toEqual([
    ['drop_account', 'drop_database', 'end_connections', 'find_account'],
    'Error: no space left on device: /var/lib/mysql has 1048575 bytes free',
  ])
  expect(await passed(async () => ({ free: 2 ** 20, total: 1e9 }))).toEqual([all, undefined])
})

test('a disk whose space is not known refuses nothing', async () => {
  expect(await passed(() => Promise.reject(new Error('ENOENT')))).toEqual([all, undefined])
})
