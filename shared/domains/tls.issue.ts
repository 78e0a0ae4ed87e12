import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, Email, ReportedDomain, TlsMode } from '#shared/kernel/fields.ts'
import {
  bulkParams,
  completesWith,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'

const tlsIssue = command({
  name: 'tls.issue',
  summary: 'Issue, renew or remove the certificate of a site',
  changes: true,
  minutes: 15,
  params: z.object({ domain: Domain, tls: TlsMode, email: Email }),
  /** `expires_at` is ISO 8601, `""` without a certificate. */
  result: z.object({
    domain: ReportedDomain,
    tls: TlsMode,
    expires_at: z.string().max(40),
    kept: z
      .literal(true)
      .optional()
      .describe(
        'Present if no new certificate was needed: the current one is valid for exactly these names and not due, or has all names but those that cannot be validated.',
      ),
  }),
})

export const tlsIssueType = operationType({
  name: 'Change certificate',
  title: 'Change the certificate of',
  target: 'site',
  command: tlsIssue,
  right: 'operate',
  excludes: 'same_site_except_backup',
  params: tlsIssue.params.pick({ tls: true }),
  confirms: { ...SAME_DOMAIN, tls: 'tls' },
  outcome: completesWith(tlsIssue.result),
  bulk: {
    title: 'Change certificate of',
    params: bulkParams({ tls: TlsMode }),
    words: { tls: 'certificate' },
  },
})
