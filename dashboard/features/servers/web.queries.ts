import { eq } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { server_web } from '#dashboard/kernel/db/web-schema.ts'
import type { ServerWebView } from '#shared/sites/api/web.ts'

export async function getServerWeb(db: Database, server_id: number): Promise<ServerWebView> {
  const [row] = await db.read
    .select({ at: server_web.at, web: server_web.web })
    .from(server_web)
    .where(eq(server_web.server_id, server_id))
  return row ?? { at: null, web: null }
}
