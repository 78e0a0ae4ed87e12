import { hasOtherPhp, refuseBroken } from '#agent/features/php/trial.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { SiteChange } from './site-change.ts'

/** A value that breaks the site is found before visitors meet it. */
export async function trialSteps({ domain, into }: SiteChange, host: Host): Promise<Step[]> {
  const site = await getSite(host, domain)
  const target = into(site)
  const hasOther = () => hasOtherPhp(host, site, target)
  if (!(await servicesOf(host).units(hasOther, false))) return []
  return [
    {
      name: 'trial',
      title: `Trying the front page with PHP ${target.php} and its new values`,
      effects: [run('program', `php-fpm${target.php}`)],
      apply: () => refuseBroken(host, site, target),
    },
  ]
}
