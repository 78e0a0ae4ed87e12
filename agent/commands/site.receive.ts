import type { Host } from '#agent/host/ports.ts'
import { cutOffCertificate } from '#agent/os/certificates/cut-off.ts'
import { resticSteps } from '#agent/os/restic/program.ts'
import { refuseUnready } from '#agent/os/restic/run.ts'
import { withSourcePassword } from '#agent/os/restic/session.ts'
import { findSite, type Site } from '#agent/os/site/sites.ts'
import { after, command, line, ready, type Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/errors.ts'
import { Secret } from '#shared/secret.ts'
import { certificateTextOf } from './certificate-text.ts'
import { preparing, refuseKnownNames, warnOfCapacity } from './new-site.ts'
import { onSite } from './on-site.ts'
import { receiveSteps } from './receive-steps.ts'
import { certificateSteps, siteSteps } from './site-steps.ts'

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
  steps: async ({ params, host, site, warn }) => [
    ready(
      async () => [...(await preparing(host, site, params.accept)), ...(await resticSteps(host))],
      () => refuseKnownNames(host, site),
    ),
    line(() => warnOfCapacity(host, site)),
    ...(await stepsOf(site, params, host)),
    after(
      () => certificateSteps(site, host, warn),
      () => cutOffCertificate(host, site.domain),
    ),
  ],
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
async function stepsOf(site: Site, { from }: Params, host: Host): Promise<Step[]> {
  if (from.kind !== 'backup') return []
  const password = new Secret(host.random.text(32))
  const content = receiveSteps(host, site, { from, password })
  return siteSteps(site, host, content, async () => undefined)
}

async function refuseUnfit(host: Host, site: Site, { from }: Params): Promise<void> {
  if (from.kind !== 'backup') throw conflict('A site is received from a backup only')
  await refuseUnready(host, from.target)
  if (await findSite(host, site.domain, 'moved')) {
    throw conflict(`${site.domain} has moved away from this server: move it back, or confirm that`)
  }
}
