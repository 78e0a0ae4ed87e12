import type { Host } from '#agent/kernel/host/ports.ts'

/** The time that ended connections may take to close, also on a busy server. */
const LATEST_MS = 30_000

/** Returns when all have closed and released their locks. */
export async function endConnections({ database, clock }: Host, user: string): Promise<void> {
  const end = clock.elapsed() + LATEST_MS
  for (;;) {
    await database.admin('end_connections', [user])
    const [row] = await database.admin('count_connections', [user])
    if (Number(row?.count ?? 0) === 0) return
    if (clock.elapsed() > end) throw new Error(`Connections of ${user}@localhost do not end`)
    await clock.sleep(50)
  }
}
