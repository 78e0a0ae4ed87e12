import { and, eq, sql } from 'drizzle-orm'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { isolation_checks, servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { IsolationResult } from '#shared/isolation/isolation.ts'
import type { ChangeSubject, RecordChange } from './rules.ts'

const isSubject = ({ site_id }: ChangeSubject) => eq(sites.id, site_id ?? 0)

export const allChanges =
  (...changes: readonly RecordChange[]): RecordChange =>
  (queries, subject, at) =>
    changes.flatMap((change) => change(queries, subject, at))

export const setServer =
  (values: Partial<ServerRow>): RecordChange =>
  (queries, { server_id }) => [queries.update(servers).set(values).where(eq(servers.id, server_id))]

export const setSite =
  (values: Partial<SiteRow>): RecordChange =>
  (queries, subject) =>
    Object.keys(values).length === 0
      ? []
      : [queries.update(sites).set(values).where(isSubject(subject))]

/** Sets a state that `restoreStatus` leaves. */
export const setTransientStatus =
  (status: SiteRow['status']): RecordChange =>
  (queries, subject) => [
    queries.update(sites).set({ former_status: sql`status`, status }).where(isSubject(subject)),
  ]

/** Restores the state before `setTransientStatus`, with the reason. */
export const restoreStatus =
  (status_reason: string): RecordChange =>
  (queries, subject) => [
    queries
      .update(sites)
      .set({
        status: sql`coalesce(former_status, 'failed')`,
        former_status: null,
        status_reason,
      })
      .where(isSubject(subject)),
  ]

export const setFinalStatus =
  (status_reason: string): RecordChange =>
  (queries, subject) => [
    queries
      .update(sites)
      .set({
        // A cancelled end without a cancel request counts as failed.
        status: sql`(select status from operations where id = ${subject.id})`,
        status_reason,
      })
      .where(isSubject(subject)),
  ]

/** Makes a discovered site a managed one, if no other site has its name. */
export const manageSite: RecordChange = (queries, subject) => {
  const taken = sql`exists (select 1 from sites as other where other.apex = sites.apex
    and other.managed = 1 and other.id <> sites.id)
    or exists (select 1 from site_names where site_names.apex = sites.apex)`
  return [
    queries
      .update(sites)
      .set({ managed: true, found: false, ignored_at: null })
      .where(and(isSubject(subject), sql`not (${taken})`)),
  ]
}

export const removeSite: RecordChange = (queries, subject) => [
  queries.delete(sites).where(isSubject(subject)),
]

/** Stores the result of a check, or why it could not run, by the clock of the dashboard. */
export const storeIsolation =
  (found: { results: IsolationResult[] } | { reason: string }): RecordChange =>
  (queries, { server_id }, at) => {
    const set =
      'results' in found
        ? { checked_at: at, results: found.results, failures: 0, failed_at: null, reason: '' }
        : { failures: sql`failures + 1`, failed_at: at, reason: found.reason }
    const first = 'results' in found ? set : { ...set, failures: 1 }
    return [
      queries
        .insert(isolation_checks)
        .values({ server_id, ...first })
        .onConflictDoUpdate({ target: isolation_checks.server_id, set }),
    ]
  }
