import type { Host } from '#agent/host/ports.ts'
import { issueOrReason } from '#agent/os/certificates/certificates.ts'
import { planProvide, provideNotes } from '#agent/os/certificates/plan.ts'
import { describe } from '#agent/os/certificates/probe-names.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { Step, Warn } from '#agent/steps/command.ts'

/** Runs after the record is written: a refused certificate never undoes the site. */
export function certificateStep(
  host: Host,
  site: Site,
  { title, refused, warn }: { title: string; refused: string; warn: Warn },
): Step {
  const { domain, tls, email } = site
  return {
    name: 'certificate',
    title,
    effects: () => planProvide(host, site),
    notes: () => provideNotes(host, site),
    async *apply() {
      const issued = yield* issueOrReason(host, { domain, tls, email })
      const message = issued.refused ?? describe(issued.left_out)
      if (message === undefined) return
      yield issued.refused === undefined ? message : `${refused}: ${message}`
      warn({ code: 'certificate_refused', message })
    },
  }
}
