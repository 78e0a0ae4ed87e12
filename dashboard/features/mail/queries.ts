import { and, eq, isNull } from 'drizzle-orm'
import type { Database, Queries, Statement } from '#dashboard/kernel/db/client.ts'
import { mail_settings } from '#dashboard/kernel/db/mail-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import type { StoredMail } from '#shared/mail/api/mail.ts'

/** A server, or one of its sites. */
export interface MailTarget {
  server_id: number
  site_id: number | null
}

export interface StoredMailSetting {
  setting: StoredMail
  /** The sealed password; empty for none. */
  password_sealed: string
}

const isTarget = ({ server_id, site_id }: MailTarget) =>
  site_id === null
    ? and(eq(mail_settings.server_id, server_id), isNull(mail_settings.site_id))
    : eq(mail_settings.site_id, site_id)

export function findMail(db: Database, target: MailTarget) {
  const { setting, password_sealed, updated_at } = mail_settings
  return db.read
    .select({ setting, password_sealed, updated_at })
    .from(mail_settings)
    .where(isTarget(target))
    .get()
}

export function mailStatements(
  queries: Queries,
  target: MailTarget,
  { setting, password_sealed }: StoredMailSetting,
  updated_at: string,
): Statement[] {
  const { server_id, site_id } = target
  const row = { server_id, site_id, setting, password_sealed, updated_at }
  return [
    queries.delete(mail_settings).where(isTarget(target)),
    queries.insert(mail_settings).values(row),
  ]
}

export async function idsByDomain(db: Database, server_id: number): Promise<Map<string, number>> {
  const { id, domain } = sites
  const rows = await db.read
    .select({ id, domain })
    .from(sites)
    .where(eq(sites.server_id, server_id))
  return new Map(rows.map((row) => [row.domain, row.id]))
}
