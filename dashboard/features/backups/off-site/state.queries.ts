import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import {
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities, settings } from '#dashboard/kernel/db/schema.ts'

export const STATE = 'off_site_backup'
/** The settings key of the last request for a backup; without a row, nothing is requested. */
export const REQUEST = 'off_site_request'
/** The settings key of the last request for a backup beside the records. */
export const LOCAL_REQUEST = 'local_backup_request'
/** The settings key of what the installation has sealed, as the file in DATA_DIR says. */
const RECOVERY = 'recovery_file'
type RequestKey = typeof REQUEST | typeof LOCAL_REQUEST

const OffSiteState = z.object({
  /** When an attempt ended last, and why it failed; null: it succeeded. */
  tried_at: z.string(),
  error: z.string().nullable(),
  /** Whether the last attempt was not even started, because something was missing. */
  not_ready: z.boolean().default(false),
  saved_at: z.string().nullable(),
  /** Since when the saved backups hold the release key, and the kit that opens it; null: they do not. */
  release_key: z.object({ kit: z.string(), since: z.string() }).nullable().default(null),
})

const Sealed = z.object({ kit: z.string().nullable(), holds: z.array(z.string()) })
export type SealedFiles = z.infer<typeof Sealed>

const Request = z.object({
  at: z.string(),
  /** Whether the target is only checked, and nothing is saved. */
  only_check: z.boolean(),
})
export type Request = z.infer<typeof Request>

export type OffSiteState = z.input<typeof OffSiteState>

/** Returns the state of the dashboard's own backups in a target; undefined before the first. */
export async function findOffSite(
  db: Database,
): Promise<z.output<typeof OffSiteState> | undefined> {
  const [row] = await db.read.select().from(settings).where(eq(settings.key, STATE))
  return OffSiteState.safeParse(row?.value).data
}

export async function setOffSite(db: Database, value: OffSiteState): Promise<void> {
  await db.write((queries) =>
    queries
      .insert(settings)
      .values({ key: STATE, value })
      .onConflictDoUpdate({ target: settings.key, set: { value } }),
  )
}

/** Returns what the installation has sealed; undefined when nothing, as in a checkout. */
export async function findSealed(db: Database): Promise<SealedFiles | undefined> {
  const [row] = await db.read.select().from(settings).where(eq(settings.key, RECOVERY))
  return Sealed.safeParse(row?.value).data
}

export async function setSealed(db: Database, value: SealedFiles | undefined): Promise<void> {
  await db.write((queries) =>
    value === undefined
      ? queries.delete(settings).where(eq(settings.key, RECOVERY))
      : queries
          .insert(settings)
          .values({ key: RECOVERY, value })
          .onConflictDoUpdate({ target: settings.key, set: { value } }),
  )
}

export async function findRequest(
  db: Database,
  key: RequestKey = REQUEST,
): Promise<Request | undefined> {
  const [row] = await db.read.select().from(settings).where(eq(settings.key, key))
  return Request.safeParse(row?.value).data
}

/** Stores a request; the last one counts. */
export const insertRequest = (db: Database, request: Request, entry: NewActivity) =>
  writeAll(db, (queries) => [
    requestStatement(queries, request),
    queries.insert(activities).values(entry),
  ])

export const insertRequests = (db: Database, keys: readonly RequestKey[], request: Request) =>
  writeAll(db, (queries) => keys.map((key) => requestStatement(queries, request, key)))

export const requestStatement = (
  queries: Queries,
  value: Request,
  key: RequestKey = REQUEST,
): Statement =>
  queries
    .insert(settings)
    .values({ key, value })
    .onConflictDoUpdate({ target: settings.key, set: { value } })

/** Ends a request; a later one stays. */
export async function endRequest(
  db: Database,
  { at }: Request,
  key: RequestKey = REQUEST,
): Promise<void> {
  const same = sql`${settings.value} ->> 'at' = ${at}`
  await db.write((queries) => queries.delete(settings).where(and(eq(settings.key, key), same)))
}
