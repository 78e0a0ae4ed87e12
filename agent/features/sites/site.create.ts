import { recordInterruptedIssue } from '#agent/features/domains/interrupted-issue.ts'
import { coreSteps, provideCore } from '#agent/features/wordpress/core.ts'
import { copyCore, installWordpress } from '#agent/features/wordpress/wordpress.ts'
import { change, create } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { domainOf, onSite } from '#agent/kernel/site/on-site.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { after, andThen, command, line, ready, type Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { preparationSteps, refuseKnownNames, warnOfCapacity } from './new-site.ts'
import { certificateSteps, databaseStep, siteSteps } from './site-steps.ts'

/** Writes the record last: a failure after it, of a certificate, does not undo the site. */
export const siteCreate = command('site.create', {
  lock: onSite.lock,
  check: async (params) => ({ site: siteOf(params) }),
  find: async (params) => ({ site: siteOf(params) }),
  steps: ({ params, host, site, warn }) => [
    ready(
      () => preparationSteps(host, site, params.accept),
      () => refuseKnownNames(host, site),
    ),
    line(() => warnOfCapacity(host, site)),
    ready(() => coreSteps(host)),
    andThen(() => stepsOf(site, host)),
    after(
      () => certificateSteps(site, host, warn),
      () => recordInterruptedIssue(host, site.domain),
    ),
  ],
  result: domainOf,
})

const siteOf = ({ accept: _, ...site }: ParamsOf<'site.create'>): Site => site

export async function stepsOf(site: Site, host: Host): Promise<Step[]> {
  const { user } = site
  const password = new Secret(host.random.text(32))
  return siteSteps(host, site, [
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
      apply: () => installWordpress(host, site, password),
    },
  ])
}
