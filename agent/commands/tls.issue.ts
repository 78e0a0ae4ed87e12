import type { Host } from '#agent/host/ports.ts'
import { issue } from '#agent/os/certificates/certificates.ts'
import { restore } from '#agent/os/certificates/changing.ts'
import { findIssued, noteIssued } from '#agent/os/certificates/cut-off.ts'
import { issueNotes, planIssue } from '#agent/os/certificates/plan.ts'
import type { Requested } from '#agent/os/certificates/present.ts'
import { describe, type LeftOut } from '#agent/os/certificates/probe-names.ts'
import { getSite } from '#agent/os/site/sites.ts'
import type { Command, Progress, Step } from '#agent/steps/command.ts'
import { apexOf } from '#shared/names.ts'

type Issued = { expires_at: string; kept?: true; refused?: string; left_out: LeftOut[] }

export const tlsIssue: Command<'tls.issue'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: (params, host) => [stepOf(params, host, () => undefined)],
  async finished(params, host, since = 0) {
    const issued = await findIssued(host, params, since)
    return issued && { domain: params.domain, tls: params.tls, ...issued }
  },
  missing: ({ domain }, host) => noteIssued(host, domain),
  async plan(params, host) {
    await getSite(host, params.domain)
    return [stepOf(params, host, () => undefined)]
  },
  async *run(params, { host, perform, warn }) {
    await getSite(host, params.domain)
    const result: { expires_at: string; kept?: true } = { expires_at: '' }
    const step = stepOf(params, host, (issued) => {
      result.expires_at = issued.expires_at
      if (issued.kept) result.kept = true
      const message = issued.refused ?? describe(issued.left_out)
      if (message !== undefined) warn({ code: 'certificate_refused', message })
    })
    yield* perform([step])
    return { domain: params.domain, tls: params.tls, ...result }
  },
}

function stepOf(params: Requested, host: Host, done: (issued: Issued) => void): Step {
  const { domain, tls } = params
  return {
    name: 'certificate',
    title:
      tls === 'none'
        ? `Removing the certificate of ${domain}`
        : `Requesting a certificate for ${domain}`,
    effects: () => planIssue(host, params),
    notes: () => issueNotes(host, params),
    async *apply(): Progress<void> {
      const issued = yield* issue(host, params)
      if (issued.refused !== undefined) yield `No new certificate: ${issued.refused}`
      done(issued)
    },
    undo: () => restore(host, domain),
  }
}
