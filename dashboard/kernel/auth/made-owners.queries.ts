import { eq } from 'drizzle-orm'
import { z } from 'zod'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { settings } from '#dashboard/kernel/db/schema.ts'

export const MADE_OWNERS = 'made_owners'

const MadeOwners = z.array(z.object({ user_id: z.int(), at: z.string() })).catch([])

/** Lists the accounts that a command on the machine of the dashboard made owners, and when. */
export async function listMadeOwners({ read }: Pick<Database, 'read'>) {
  const row = await read
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, MADE_OWNERS))
    .get()
  return MadeOwners.parse(row?.value)
}
