import type { Address } from '#dashboard/kernel/agents/transport.ts'
import { mailTroublesOf } from '#dashboard/kernel/db/mail-trouble.ts'
import { accessReading, loginsReading } from '#shared/access/readings.ts'
import { MAX_LOGINS, type ReportedAccess, type SiteLogin } from '#shared/access/site-access.ts'
import { jobTroublesReading } from '#shared/jobs/readings.ts'
import { mailReading } from '#shared/mail/readings.ts'
import type { SiteUsage } from '#shared/metrics/site-usage.ts'
import type { DiskUse } from '#shared/servers/api/disk-use.ts'
import { maintenanceReading } from '#shared/servers/readings.ts'
import { certificatesReading, usageReading } from '#shared/sites/readings.ts'
import type { Reader } from './read-changes.ts'

const MAX_JOB_TROUBLES = 50

/** An agent of another protocol, or one that cannot read it now, does not report it: the record stays. */
const unreported = () => undefined

export const askMail = (reader: Reader, to: Address) =>
  reader.call(to, mailReading, {}).then(({ entries }) => mailTroublesOf(entries), unreported)

/** The first of those whose jobs fail or stand still. */
export const askJobs = (reader: Reader, to: Address) =>
  reader
    .call(to, jobTroublesReading, {})
    .then(({ entries }) => entries.slice(0, MAX_JOB_TROUBLES), unreported)

export const askMaintenance = (reader: Reader, to: Address) =>
  reader
    .call(to, maintenanceReading, {})
    .then(({ maintenance }) => maintenance ?? undefined, unreported)

/** The expiry of certificates by domain. */
export const askCertificates = (reader: Reader, to: Address) =>
  reader
    .call(to, certificatesReading, {})
    .then(
      ({ entries }) => new Map(entries.map(({ domain, expires_at }) => [domain, expires_at])),
      unreported,
    )

/** The disk use of the managed sites by domain; null if never measured. Undefined if incomplete. */
export const askUsage = (reader: Reader, to: Address) =>
  reader
    .call(to, usageReading, {})
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
  reader.call(to, loginsReading, {}).then(
    ({ entries }) => entries.slice(-MAX_LOGINS),
    () => [],
  )

/** Who can log in to which site; undefined if incomplete. */
export const askAccess = (reader: Reader, to: Address): Promise<ReportedAccess[] | undefined> =>
  reader
    .call(to, accessReading, {})
    .then(({ entries, total }) => (entries.length < total ? undefined : entries), unreported)
