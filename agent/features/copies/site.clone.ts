import { refuseReplacing } from '#agent/features/backups/replace.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import { withSourcePassword } from '#agent/features/backups/restic/session.ts'
import { findReport } from '#agent/features/copies/clone/report.ts'
import { inheritedOf, namesOf } from '#agent/features/copies/clone/settings.ts'
import { refuseLackForCopy } from '#agent/features/copies/clone/space.ts'
import { cutOffCertificate } from '#agent/features/domains/cut-off.ts'
import { preparing, refuseKnownNames, warnOfCapacity } from '#agent/features/sites/new-site.ts'
import { certificateSteps } from '#agent/features/sites/site-steps.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite, warnOfCleanup } from '#agent/kernel/site/on-site.ts'
import { reportOf } from '#agent/kernel/site/settings.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { after, command, line, ready } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { recorded, stepsOf } from './clone-steps.ts'

type Params = ParamsOf<'site.clone'>

/** A new site with the content of another one: the original is only read. */
export const siteClone = command('site.clone', {
  lock: onSite.lock,
  withSecrets: withSourcePassword,
  async check(params, host) {
    if (params.from.kind === 'backup') await refuseUnready(host, params.from.target)
    else await refuseUncopiable(host, params.from.domain)
    return { site: siteOf(params) }
  },
  find: async (params) => ({ site: siteOf(params) }),
  async steps(job) {
    const { params, host, site, warn } = job
    const { from, accept } = params
    return [
      ready(
        async () => [
          ...(await preparing(host, site, accept)),
          ...(from.kind === 'backup' ? await resticSteps(host) : []),
        ],
        () => refuseKnownNames(host, site),
      ),
      line(() => warnOfCapacity(host, site)),
      ...(await stepsOf(job)),
      after(
        () => certificateSteps(recorded(job), host, warn),
        () => cutOffCertificate(host, site.domain),
      ),
    ]
  },
  unfinished: warnOfCleanup,
  async result({ params: { domain }, host }) {
    const site = await getSite(host, domain)
    const report = await findReport(host, site.user)
    if (!report) throw new Error('The copy has no report')
    return { domain, ...report, ...settingsIn(site) }
  },
})

const siteOf = ({ accept: _, from: __, with_jobs: ___, ...site }: Params): Site => site

/** For the records of the dashboard; a site with the defaults has none. */
const settingsIn = (site: Site) =>
  namesOf(inheritedOf(site, { isSame: true })).length > 0 ? { settings: reportOf(site) } : {}

async function refuseUncopiable(host: Host, domain: string): Promise<void> {
  const site = await getSite(host, domain)
  await refuseReplacing(host, site)
  await refuseLackForCopy(host, site.user)
}
