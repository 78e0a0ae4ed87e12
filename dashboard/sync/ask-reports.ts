import type { Address } from '#dashboard/agents/transport.ts'
import { mailTroublesOf } from '#dashboard/db/mail-trouble.ts'
import { SiteCertificate, SiteMail } from '#shared/agent.ts'
import type { DiskUse } from '#shared/api/disk-use.ts'
import { MaintenanceAnswer } from '#shared/maintenance.ts'
import { MOST_LOGINS, ReportedAccess, SiteLogin } from '#shared/site-access.ts'
import { SiteJobTrouble } from '#shared/site-jobs.ts'
import { SiteUsage } from '#shared/site-usage.ts'
import type { Reader } from './read-report.ts'

const MOST_JOB_TROUBLES = 50

/** An agent of another protocol, or one that cannot read it now, does not report it: the record stays. */
const unreported = () => undefined

export const askMail = (reader: Reader, to: Address) =>
  reader
    .list(to, '/mail', { key: 'sites', entry: SiteMail })
    .then(({ entries }) => mailTroublesOf(entries), unreported)

/** The first of those whose jobs fail or stand still. */
export const askJobs = (reader: Reader, to: Address) =>
  reader
    .list(to, '/job-troubles', { key: 'sites', entry: SiteJobTrouble })
    .then(({ entries }) => entries.slice(0, MOST_JOB_TROUBLES), unreported)

export const askMaintenance = (reader: Reader, to: Address) =>
  reader
    .get(to, '/maintenance', MaintenanceAnswer)
    .then(({ maintenance }) => maintenance ?? undefined, unreported)

/** The expiry of certificates by domain. */
export const askCertificates = (reader: Reader, to: Address) =>
  reader
    .list(to, '/certificates', { key: 'certificates', entry: SiteCertificate })
    .then(
      ({ entries }) => new Map(entries.map(({ domain, expires_at }) => [domain, expires_at])),
      unreported,
    )

/** The disk use of the managed sites by domain; null if never measured. Undefined if incomplete. */
export const askUsage = (reader: Reader, to: Address) =>
  reader
    .list(to, '/usage', { key: 'sites', entry: SiteUsage })
    .then(
      ({ entries, total }) =>
        entries.length < total ? undefined : new Map(entries.map(measuredUse)),
      unreported,
    )

/** In this order of fields, since records are compared as text. */
function measuredUse({ domain, measured_at, ...use }: SiteUsage): [string, DiskUse | null] {
  if (measured_at === null) return [domain, null]
  const { bytes, files, database_bytes, limit_bytes, limit_files } = use
  return [domain, { bytes, files, database_bytes, limit_bytes, limit_files, measured_at }]
}

/** The logins of people to sites. */
export const askLogins = (reader: Reader, to: Address): Promise<SiteLogin[]> =>
  reader.list(to, '/logins', { key: 'logins', entry: SiteLogin }).then(
    ({ entries }) => entries.slice(-MOST_LOGINS),
    () => [],
  )

/** Who can log in to which site; undefined if incomplete. */
export const askAccess = (reader: Reader, to: Address): Promise<ReportedAccess[] | undefined> =>
  reader
    .list(to, '/access', { key: 'sites', entry: ReportedAccess })
    .then(({ entries, total }) => (entries.length < total ? undefined : entries), unreported)
