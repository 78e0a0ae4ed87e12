import { keptOf } from '#dashboard/agents/ask-web.ts'
import type { server_web } from '#dashboard/db/web-schema.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'

type NewWeb = typeof server_web.$inferInsert

/** The web servers of each server at its last sync. */
export async function webRows({ members }: Fleet, now: number): Promise<NewWeb[]> {
  const at = new Date(now).toISOString()
  const rows: NewWeb[] = []
  for (const [index, { agent, plan }] of members.entries()) {
    if (plan.role === 'pending') continue
    rows.push({ server_id: index + 1, web: keptOf(await agent.readings.web()), at })
  }
  return rows
}
