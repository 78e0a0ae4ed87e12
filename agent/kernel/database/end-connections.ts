import type { Host } from '#agent/kernel/host/ports.ts'

/** The maximum time in which ended connections close, also on a busy server. */
const MAX_WAIT_MS = 30_000

/** Ends the connections, and returns when all have closed and released their locks. */
export async function endConnections({ database, clock }: Host, user: string): Promise<void> {
  const end = clock.elapsed() + MAX_WAIT_MS
  for (;;) {
    await database.admin('end_connections', [user])
    const [row] = await database.admin('count_connections', [user])
    if (Number(row?.count ?? 0) === 0) return
    if (clock.elapsed() > end) throw new Error(`Connections of ${user}@localhost do not end`)
    await clock.sleep(50)
  }
}
