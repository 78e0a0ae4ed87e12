import { listOf, NoParams, reading } from '#shared/kernel/reading.ts'
import { ReportedAccess, SiteLogin } from './site-access.ts'

/** Who can log in to which site. */
export const accessReading = reading({
  at: 'GET /access',
  params: NoParams,
  answer: listOf('sites', ReportedAccess),
})

/** The logins of people to sites. */
export const loginsReading = reading({
  at: 'GET /logins',
  params: NoParams,
  answer: listOf('logins', SiteLogin),
})
