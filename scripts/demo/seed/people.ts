import { fingerprintOf } from '#dashboard/access/fingerprint.ts'
import { people, person_keys } from '#dashboard/db/access-schema.ts'
import type { Database } from '#dashboard/db/client.ts'
import { insertAll } from './insert.ts'

const DAY_MS = 24 * 3600_000
/** Their private keys do not exist. */
const KEYS = {
  'Design studio': 'AAAAC3NzaC1lZDI1NTE5AAAAIEjMtcI3X4OGaXHKLfQC/K5eK8TuapyGab/0dnDVtsWV',
  'Shop developer': 'AAAAC3NzaC1lZDI1NTE5AAAAIO+jraupGpL+erW88CiTHVvQQXzuanwWTIsNqGj4UAnn',
}

/** People who could log in to sites by SFTP. */
export async function fillPeople(db: Database, now: number): Promise<void> {
  const created_at = new Date(now - 40 * DAY_MS).toISOString()
  const all = Object.entries(KEYS).map(([name, blob], at) => ({ id: at + 1, name, blob }))
  await insertAll(
    db,
    people,
    all.map(({ id, name }) => ({ id, name, created_at })),
  )
  await insertAll(
    db,
    person_keys,
    all.map(({ id, blob }) => ({
      ...{ person_id: id, type: 'ssh-ed25519' as const, blob, created_at },
      fingerprint: fingerprintOf(blob),
    })),
  )
}
