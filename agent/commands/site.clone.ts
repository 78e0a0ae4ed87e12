import type { Host } from '#agent/host/ports.ts'
import { refuseReplacing } from '#agent/os/backup/replace.ts'
import { cutOffCertificate } from '#agent/os/certificates/cut-off.ts'
import { findReport, type Learned, reportIn } from '#agent/os/clone/report.ts'
import { inheritedOf, namesOf } from '#agent/os/clone/settings.ts'
import { refuseLackForCopy } from '#agent/os/clone/space.ts'
import { resticSteps } from '#agent/os/restic/program.ts'
import { refuseUnready } from '#agent/os/restic/run.ts'
import { withSourcePassword } from '#agent/os/restic/session.ts'
import { reportOf } from '#agent/os/site/settings.ts'
import { findSite, getSite, type Site } from '#agent/os/site/sites.ts'
import { refuseUnaccepted } from '#agent/steps/accept.ts'
import type { Command, Step, Warn } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { stepsOf } from './clone-steps.ts'
import { preparing, refuseKnownNames, warnOfCapacity } from './new-site.ts'
import { certificateSteps } from './site-steps.ts'

type Params = ParamsOf<'site.clone'>

/** A new site with the content of another one: the original is only read. */
export const siteClone: Command<'site.clone'> = {
  lock: ({ domain }) => apexOf(domain),
  withSecrets: withSourcePassword,
  steps: (params, host) => stepsOf(siteOf(params), params.from, host, {}, params),
  async plan(params, host) {
    const site = siteOf(params)
    return [
      ...(await checked(host, site, params)),
      ...(await stepsOf(site, params.from, host, {}, params)),
      ...certificateSteps(site, host, () => undefined),
    ]
  },
  async finished({ domain, user }, host) {
    const site = await findSite(host, domain)
    const report = site?.user === user ? await findReport(host, user) : undefined
    return site && report && { domain, ...report, ...settingsIn(site) }
  },
  missing: ({ domain }, host) => cutOffCertificate(host, domain),
  async *run(params, { host, announce, perform, warn }) {
    const site = siteOf(params)
    const learned: Learned = {}
    const missing = await checked(host, site, params)
    const how = { ...params, tell: leftOut(warn) }
    const steps = await stepsOf(site, params.from, host, learned, how)
    await refuseUnaccepted([...missing, ...steps], params.accept ?? [])
    const certificate = certificateSteps(site, host, warn)
    announce([...missing, ...steps, ...certificate])
    yield* perform(missing)
    if (missing.length > 0) await refuseKnownNames(host, site)
    yield* warnOfCapacity(host, site)
    const reason = yield* perform(steps)
    if (reason !== undefined) warn({ code: 'cleanup_pending', message: reason })
    yield* perform(certificate)
    return { domain: site.domain, ...reportIn(learned), ...settingsIn(site) }
  },
}

const siteOf = ({ accept: _, from: __, with_jobs: ___, ...site }: Params): Site => site

/** For the records of the dashboard; a site with the defaults has none. */
const settingsIn = (site: Site) =>
  namesOf(inheritedOf(site, { isSame: true })).length > 0 ? { settings: reportOf(site) } : {}

const leftOut = (warn: Warn) => (message: string) => warn({ code: 'left_out', message })

/** The steps that make the server ready, after all checks. */
async function checked(host: Host, site: Site, { from, accept }: Params): Promise<Step[]> {
  if (from.kind === 'backup') await refuseUnready(host, from.target)
  else await refuseUncopiable(host, from.domain)
  const steps = await preparing(host, site, accept)
  return from.kind === 'backup' ? [...steps, ...(await resticSteps(host))] : steps
}

/** The sandbox in which root reads the files of a site needs systemd. */
async function refuseUncopiable(host: Host, domain: string): Promise<void> {
  const site = await getSite(host, domain)
  if (host.init !== 'systemd') throw conflict('Clones need a server that systemd started')
  await refuseReplacing(host, site)
  await refuseLackForCopy(host, site.user)
}
