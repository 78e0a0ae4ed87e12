import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { after, command, type Progress, value } from '#agent/kernel/steps/command.ts'
import { issue } from './certificates.ts'
import { restore } from './changing.ts'
import { findIssued, noteIssued } from './cut-off.ts'
import { issueNotes, planIssue } from './plan.ts'
import type { Requested } from './present.ts'
import { describe, type LeftOut } from './probe-names.ts'

type Issued = { expires_at: string; kept?: true; refused?: string; left_out: LeftOut[] }

const issued = value<Issued>('Nothing was issued')

export const tlsIssue = command('tls.issue', {
  ...onSite,
  steps: ({ params, host, gives }) => [
    {
      name: 'certificate',
      title:
        params.tls === 'none'
          ? `Removing the certificate of ${params.domain}`
          : `Requesting a certificate for ${params.domain}`,
      effects: () => planIssue(host, params),
      notes: () => issueNotes(host, params),
      apply: gives(issued, () => issuing(host, params)),
      undo: () => restore(host, params.domain),
    },
    after(
      () => [],
      () => noteIssued(host, params.domain),
    ),
  ],
  async finished(params, host, since = 0) {
    const found = await findIssued(host, params, since)
    return found && { domain: params.domain, tls: params.tls, ...found }
  },
  result({ params: { domain, tls }, get, warn }) {
    const { expires_at, kept, refused, left_out } = get(issued)
    const message = refused ?? describe(left_out)
    if (message !== undefined) warn({ code: 'certificate_refused', message })
    return { domain, tls, expires_at, ...(kept && { kept }) }
  },
})

async function* issuing(host: Host, params: Requested): Progress<Issued> {
  const found = yield* issue(host, params)
  if (found.refused !== undefined) yield `No new certificate: ${found.refused}`
  return found
}
