import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step, Warn } from '#agent/kernel/steps/command.ts'
import { issueOrReason } from './certificates.ts'
import { provideEffects, provideNotes } from './plan-issue.ts'
import { describeLeftOut } from './probe-names.ts'

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
    effects: () => provideEffects(host, site),
    notes: () => provideNotes(host, site),
    async *apply() {
      const issued = yield* issueOrReason(host, { domain, tls, email })
      const message = issued.refused ?? describeLeftOut(issued.left_out)
      if (message === undefined) return
      yield issued.refused === undefined ? message : `${refused}: ${message}`
      warn({ code: 'certificate_refused', message })
    },
  }
}
