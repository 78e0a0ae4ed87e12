import type { Host } from '#agent/host/ports.ts'
import { cutOffCertificate } from '#agent/os/certificates/cut-off.ts'
import { change, create } from '#agent/os/effects/effects.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import { findSite, type Site } from '#agent/os/site/sites.ts'
import { coreSteps, provideCore } from '#agent/os/wordpress/core.ts'
import { copyCore, install } from '#agent/os/wordpress/wordpress.ts'
import { refuseUnaccepted } from '#agent/steps/accept.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { apexOf } from '#shared/names.ts'
import { Secret } from '#shared/secret.ts'
import { preparing, refuseKnownNames, warnOfCapacity } from './new-site.ts'
import { certificateSteps, databaseStep, siteSteps } from './site-steps.ts'

export const siteCreate: Command<'site.create'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: (params, host) => stepsOf(siteOf(params), host),
  async plan(params, host) {
    const site = siteOf(params)
    return [
      ...(await preparing(host, site, params.accept)),
      ...(await coreSteps(host)),
      ...(await stepsOf(site, host)),
      ...certificateSteps(site, host, () => undefined),
    ]
  },
  // The record is written last: a failure after it, of a certificate, does not undo the site.
  async finished({ domain, user }, host) {
    const site = await findSite(host, domain)
    return site?.user === user ? { domain } : undefined
  },
  missing: ({ domain }, host) => cutOffCertificate(host, domain),
  async *run(params, { host, announce, perform, warn }) {
    const site = siteOf(params)
    const missing = await preparing(host, site, params.accept)
    const steps = await stepsOf(site, host)
    await refuseUnaccepted([...missing, ...steps], params.accept ?? [])
    const certificate = certificateSteps(site, host, warn)
    announce([...missing, ...(await coreSteps(host)), ...steps, ...certificate])
    yield* perform(missing)
    if (missing.length > 0) await refuseKnownNames(host, site)
    yield* warnOfCapacity(host, site)
    yield* perform(await coreSteps(host))
    yield* perform(await stepsOf(site, host))
    yield* perform(certificate)
    return { domain: site.domain }
  },
}

const siteOf = ({ accept: _, ...site }: ParamsOf<'site.create'>): Site => site

/** A new WordPress. */
export async function stepsOf(site: Site, host: Host): Promise<Step[]> {
  const { user } = site
  const password = new Secret(host.random.text(32))
  return siteSteps(site, host, [
    {
      name: 'core',
      title: 'Copying WordPress',
      effects: [change('folder', docrootOf(user))],
      async *apply() {
        await copyCore(host, site, yield* provideCore(host))
      },
    },
    databaseStep(host, site, password),
    {
      name: 'install',
      title: 'Installing WordPress',
      effects: [create('file', `${docrootOf(user)}/wp-config.php`), change('database', user)],
      apply: () => install(host, site, password),
    },
  ])
}
