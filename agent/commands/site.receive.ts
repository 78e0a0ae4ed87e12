import type { Host } from '#agent/host/ports.ts'
import { cutOffCertificate } from '#agent/os/certificates/cut-off.ts'
import { resticSteps } from '#agent/os/restic/program.ts'
import { refuseUnready } from '#agent/os/restic/run.ts'
import { withSourcePassword } from '#agent/os/restic/session.ts'
import { findSite, type Site } from '#agent/os/site/sites.ts'
import { refuseUnaccepted } from '#agent/steps/accept.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { Secret } from '#shared/secret.ts'
import { certificateTextOf } from './certificate-text.ts'
import { preparing, refuseKnownNames, warnOfCapacity } from './new-site.ts'
import { receiveSteps } from './receive-steps.ts'
import { certificateSteps, siteSteps } from './site-steps.ts'

type Params = ParamsOf<'site.receive'>

/** The same site as on its server, with the same user and files: it serves only that server. */
export const siteReceive: Command<'site.receive'> = {
  lock: ({ domain }) => apexOf(domain),
  withSecrets: withSourcePassword,
  steps: (params, host) => stepsOf(siteOf(params), params, host),
  async plan(params, host) {
    const site = siteOf(params)
    return [
      ...(await checked(host, site, params)),
      ...(await stepsOf(site, params, host)),
      ...certificateSteps(site, host, () => undefined),
    ]
  },
  async finished({ domain, user }, host) {
    const site = await findSite(host, domain)
    if (site?.user !== user) return undefined
    return resultOf(host, site)
  },
  missing: ({ domain }, host) => cutOffCertificate(host, domain),
  async *run(params, { host, announce, perform, warn }) {
    const site = siteOf(params)
    const missing = await checked(host, site, params)
    const steps = await stepsOf(site, params, host)
    await refuseUnaccepted([...missing, ...steps], params.accept ?? [])
    const certificate = certificateSteps(site, host, warn)
    announce([...missing, ...steps, ...certificate])
    yield* perform(missing)
    if (missing.length > 0) await refuseKnownNames(host, site)
    yield* warnOfCapacity(host, site)
    yield* perform(steps)
    yield* perform(certificate)
    return resultOf(host, site)
  },
}

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

/** The steps that make the server ready, after all checks. */
async function checked(host: Host, site: Site, { from, accept }: Params): Promise<Step[]> {
  if (from.kind !== 'backup') throw conflict('A site is received from a backup only')
  await refuseUnready(host, from.target)
  if (await findSite(host, site.domain, 'moved')) {
    throw conflict(`${site.domain} has moved away from this server: move it back, or confirm that`)
  }
  return [...(await preparing(host, site, accept)), ...(await resticSteps(host))]
}
