import type { Host } from '#agent/host/ports.ts'
import { refuseReplacing } from '#agent/os/backup/replace.ts'
import { cutOffCertificate } from '#agent/os/certificates/cut-off.ts'
import { findReport } from '#agent/os/clone/report.ts'
import { inheritedOf, namesOf } from '#agent/os/clone/settings.ts'
import { refuseLackForCopy } from '#agent/os/clone/space.ts'
import { resticSteps } from '#agent/os/restic/program.ts'
import { refuseUnready } from '#agent/os/restic/run.ts'
import { withSourcePassword } from '#agent/os/restic/session.ts'
import { reportOf } from '#agent/os/site/settings.ts'
import { getSite, type Site } from '#agent/os/site/sites.ts'
import { after, command, line, ready } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { recorded, stepsOf } from './clone-steps.ts'
import { preparing, refuseKnownNames, warnOfCapacity } from './new-site.ts'
import { onSite, warnOfCleanup } from './on-site.ts'
import { certificateSteps } from './site-steps.ts'

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
