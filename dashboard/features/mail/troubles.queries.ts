import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { server_mail } from '#dashboard/kernel/db/mail-schema.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'

export function listMailTroubles(db: Database) {
  return db.read
    .select({ id: servers.id, name: servers.name, troubles: server_mail.troubles })
    .from(server_mail)
    .innerJoin(servers, eq(servers.id, server_mail.server_id))
    .where(and(eq(servers.status, 'online'), sql`${server_mail.troubles} ->> '$.total' > 0`))
    .orderBy(asc(servers.name), asc(servers.id))
}

export function listSitesNamed(db: Database, domains: readonly string[]) {
  return db.read
    .select({ id: sites.id, server_id: sites.server_id, domain: sites.domain })
    .from(sites)
    .where(inArray(sites.domain, [...domains]))
}

export function listSitesWith(db: Database, ids: readonly number[]) {
  return db.read
    .select({ id: sites.id, server_id: sites.server_id, domain: sites.domain })
    .from(sites)
    .where(inArray(sites.id, [...ids]))
}
