import type { Host } from '#agent/host/ports.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { Context, Progress } from '#agent/steps/command.ts'
import { apexOf } from '#shared/names.ts'
import { changed, changeSite, changeSteps, planChange, type SiteChange } from './site-change.ts'

interface Named {
  domain: string
}

/** The command that suspends or resumes a site. */
export function suspension(verb: string, into: (site: Site) => Site) {
  const changing = ({ domain }: Named): SiteChange => ({
    ...{ domain, into, only: 'serving' },
    about: () => `${verb} ${domain}`,
  })
  return {
    lock: ({ domain }: Named) => apexOf(domain),
    steps: (params: Named, host: Host) => changeSteps(changing(params), host),
    plan: (params: Named, host: Host) => planChange(changing(params), host),
    async finished(params: Named, host: Host) {
      const site = await changed(changing(params), host)
      return site && { domain: site.domain }
    },
    async *run(params: Named, context: Context): Progress<Named> {
      const { domain } = yield* changeSite(changing(params), context)
      return { domain }
    },
  }
}
