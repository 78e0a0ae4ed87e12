import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import { withSourcePassword } from '#agent/features/backups/restic/session.ts'
import { certificateTextOf } from '#agent/features/domains/certificate-text.ts'
import { cutOffCertificate } from '#agent/features/domains/cut-off.ts'
import { preparing, refuseKnownNames, warnOfCapacity } from '#agent/features/sites/new-site.ts'
import { certificateSteps, copySteps } from '#agent/features/sites/site-steps.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { findSite, type Site } from '#agent/kernel/site/sites.ts'
import { after, command, type List, line, ready } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { type Receive, receiveSteps, recorded } from './receive-steps.ts'

type Params = ParamsOf<'site.receive'>

/** The same site as on its server, with the same user and files: it serves only that server. */
export const siteReceive = command('site.receive', {
  lock: onSite.lock,
  withSecrets: withSourcePassword,
  async check(params, host) {
    const site = siteOf(params)
    await refuseUnfit(host, site, params)
    return { site }
  },
  find: async (params) => ({ site: siteOf(params) }),
  async steps(job) {
    const { params, host, site, warn } = job
    return [
      ready(
        async () => [...(await preparing(host, site, params.accept)), ...(await resticSteps(host))],
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
  result: ({ host, site }) => resultOf(host, site),
})

const resultOf = async (host: Host, { domain, staging }: Site) => ({
  ...{ domain, certificate: await certificateTextOf(host, domain) },
  ...(staging && { staging: true as const }),
})

const siteOf = ({ accept: _, from: __, peers, ...site }: Params): Site => ({
  ...site,
  moving: { from: peers, closed: true },
})

/** The other server shows the front page of the site: this copy only has to answer. */
async function stepsOf(job: Receive): Promise<List> {
  const { params, host, site } = job
  if (params.from.kind !== 'backup') return []
  return copySteps(host, site, receiveSteps(job, params.from), {
    recorded: () => recorded(job),
    probe: async () => undefined,
  })
}

async function refuseUnfit(host: Host, site: Site, { from }: Params): Promise<void> {
  if (from.kind !== 'backup') throw conflict('A site is received from a backup only')
  await refuseUnready(host, from.target)
  if (await findSite(host, site.domain, 'moved')) {
    throw conflict(`${site.domain} has moved away from this server: move it back, or confirm that`)
  }
}
