import { eq, sql } from 'drizzle-orm'
import type { Database, Queries, Statement } from '#dashboard/db/client.ts'
import { server_web } from '#dashboard/db/web-schema.ts'
import type { ServerWeb, ServerWebView } from '#shared/api/web.ts'

export async function getServerWeb(db: Database, server_id: number): Promise<ServerWebView> {
  const [row] = await db.read
    .select({ at: server_web.at, web: server_web.web })
    .from(server_web)
    .where(eq(server_web.server_id, server_id))
  return row ?? { at: null, web: null }
}

/** For the batch of a sync; unchanged values are not written. */
export function webStatement(
  queries: Queries,
  { server_id, web, now }: { server_id: number; web: ServerWeb; now: string },
): Statement {
  return queries
    .insert(server_web)
    .values({ server_id, web, at: now })
    .onConflictDoUpdate({
      target: server_web.server_id,
      set: { web, at: now },
      setWhere: sql`${server_web.web} <> excluded.web`,
    })
}
