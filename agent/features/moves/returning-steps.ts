import { alignCertificate } from '#agent/features/domains/align.ts'
import { restore } from '#agent/features/domains/changing.ts'
import { availablePath } from '#agent/features/web/vhost-files.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { Moving } from '#shared/moves/moving.ts'
import { pin, recordStep, serve } from './switch-steps.ts'

/**
 * A copy that only forwards prepares to serve again, while it forwards: it answers the trial, and
 * gets a certificate for the names that it has now.
 */
export function returningSteps(
  host: Host,
  site: Site,
  moving: Moving,
  certificate: string,
): Step[] {
  const { domain } = site
  const next: Site = { ...site, moving }
  const steady = host.steady ?? host
  return [
    {
      name: 'vhost',
      title: `Forwarding ${domain} until it moves back`,
      effects: [change('file', availablePath(domain))],
      async apply() {
        if (certificate !== '') await pin(host, domain, certificate)
        await serve(host, next)
      },
      undo: () => serve(steady, site),
    },
    {
      name: 'certificate',
      title: `Checking the certificate of ${domain}`,
      effects: [change('certificate', domain)],
      async *apply() {
        const refused = yield* alignCertificate(host, next)
        if (refused !== undefined) yield `Warning: no new certificate: ${refused}`
      },
      undo: () => restore(steady, domain),
    },
    recordStep(host, next, 'moved'),
  ]
}
