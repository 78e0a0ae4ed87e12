import type { Host } from '#agent/host/ports.ts'
import { issue } from '#agent/os/certificates/certificates.ts'
import { restore } from '#agent/os/certificates/changing.ts'
import { findIssued, noteIssued } from '#agent/os/certificates/cut-off.ts'
import { issueNotes, planIssue } from '#agent/os/certificates/plan.ts'
import type { Requested } from '#agent/os/certificates/present.ts'
import { describe, type LeftOut } from '#agent/os/certificates/probe-names.ts'
import { after, command, type Progress, value } from '#agent/steps/command.ts'
import { onSite } from './on-site.ts'

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
