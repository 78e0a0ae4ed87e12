import { join } from 'node:path'
import { type Database, openDatabase } from '#dashboard/db/client.ts'
import { Marks } from '#dashboard/db/marks.ts'
import { servers } from '#dashboard/db/schema.ts'
import { enrolments, server_agents } from '#dashboard/db/trust-schema.ts'
import { realClock } from '#dashboard/runtime/clock.ts'
import { jsonLog } from '#dashboard/runtime/log.ts'
import { secureRandom } from '#dashboard/runtime/random.ts'
import { Keyring } from '#dashboard/trust/keyring.ts'
import { CODE_PURPOSE } from '#dashboard/trust/open-enrolment.ts'
import { makeSealer } from '#dashboard/trust/seal.ts'
import { hostnameOf } from '#scripts/bench/sync/addresses.ts'
import { SECRET } from '#scripts/bench/sync/fleet.ts'
import { Secret } from '#shared/secret.ts'

interface Kind {
  status: 'pending' | 'offline' | 'online'
  trust: 'code' | 'enrolled' | 'none'
  port: number
}

interface Certified {
  certificate: string
  public_key: string
}

/** A benchmark may take longer than a code is valid. */
const CODE_MS = 3600_000

/** Writes so many servers of one kind to the records in a folder. */
export async function fillIdle(
  folder: string,
  { status, trust, port }: Kind,
  count: number,
  { certificate, public_key }: Certified,
): Promise<void> {
  const db: Database = await openDatabase(`file:${join(folder, 'dashboard.db')}`)
  const sealer = makeSealer(SECRET, secureRandom)
  const marks = new Marks(
    SECRET,
    jsonLog((line) => process.stderr.write(line), realClock.now),
  )
  const { kid } = await new Keyring({
    ...{ db, clock: realClock, random: secureRandom, sealer },
  }).current()
  const at = new Date().toISOString()
  const expires_at = new Date(Date.now() + CODE_MS).toISOString()
  const ids = Array.from({ length: count }, (_, number) => number + 1)
  const failures = status === 'offline' ? 3 : 0
  await db.write((queries) =>
    queries.insert(servers).values(
      ids.map((id) => ({
        ...{ id, name: `server-${id}`, hostname: hostnameOf(id), port, user: 'root', tags: [] },
        ...{ status, failures, created_at: at },
      })),
    ),
  )
  if (trust === 'code')
    await db.write((queries) =>
      queries.insert(enrolments).values(
        ids.map((server_id) => ({
          ...{ server_id, expires_at, kid },
          code_key_sealed: sealer.seal(CODE_PURPOSE, new Secret('A'.repeat(43))),
        })),
      ),
    )
  if (trust === 'enrolled')
    await db.write((queries) =>
      queries.insert(server_agents).values(
        ids.map((server_id) => {
          const row = { server_id, certificate, public_key, enrolled_at: at, kid }
          return { ...row, mark: marks.of('server_agents', row) }
        }),
      ),
    )
  db.close()
}
