import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { findSite, getSite } from '#agent/kernel/site/sites.ts'
import { after, command, type Progress, stepResult } from '#agent/kernel/steps/command.ts'
import { issue } from './certificates.ts'
import { restoreCertificate } from './change-certificate.ts'
import type { RequestedTls } from './current-certificate.ts'
import { findIssued, recordIssued } from './interrupted-issue.ts'
import { issueEffects, issueNotes } from './plan-issue.ts'
import { describeLeftOut, type LeftOutName } from './probe-names.ts'

type TlsIssueResult = { expires_at: string; kept?: true; refused?: string; left_out: LeftOutName[] }

const issueResult = stepResult<TlsIssueResult>('Nothing was issued')

/** After a restart, the certificate that the request before it has got. */
interface Subject {
  issuedBefore(): Promise<{ expires_at: string } | undefined>
}

export const tlsIssue = command<'tls.issue', Subject>('tls.issue', {
  lock: onSite.lock,
  async check(params, host) {
    await getSite(host, params.domain)
    return { issuedBefore: async () => undefined }
  },
  async find(params, host, since) {
    const site = await findSite(host, params.domain)
    return site && { issuedBefore: () => findIssued(host, params, since) }
  },
  steps: ({ params, host, issuedBefore, gives }) => [
    {
      name: 'certificate',
      title:
        params.tls === 'none'
          ? `Removing the certificate of ${params.domain}`
          : `Requesting a certificate for ${params.domain}`,
      effects: () => issueEffects(host, params),
      notes: () => issueNotes(host, params),
      apply: gives(issueResult, () => issueForResult(host, params)),
      undo: () => restoreCertificate(host, params.domain),
      decided: async () => (await issuedBefore()) !== undefined,
    },
    after(
      () => [],
      () => recordIssued(host, params.domain),
    ),
  ],
  async result({ params: { domain, tls }, issuedBefore, get, warn }) {
    const before = await issuedBefore()
    if (before) return { domain, tls, ...before }
    const { expires_at, kept, refused, left_out } = get(issueResult)
    const message = refused ?? describeLeftOut(left_out)
    if (message !== undefined) warn({ code: 'certificate_refused', message })
    return { domain, tls, expires_at, ...(kept && { kept }) }
  },
})

async function* issueForResult(host: Host, params: RequestedTls): Progress<TlsIssueResult> {
  const found = yield* issue(host, params)
  if (found.refused !== undefined) yield `No new certificate: ${found.refused}`
  return found
}
