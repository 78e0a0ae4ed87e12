import type { Host } from '#agent/host/ports.ts'
import { issueOrReason, planProvide } from '#agent/os/certificates/certificates.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { Step, Warn } from '#agent/steps/command.ts'

/** For after the record: a refused certificate never undoes the site. */
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
    async *apply() {
      const reason = yield* issueOrReason(host, { domain, tls, email })
      if (reason === undefined) return
      yield `${refused}: ${reason}`
      warn({ code: 'certificate_refused', message: reason })
    },
  }
}
