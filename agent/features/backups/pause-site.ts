import { closeLoginsSteps, openLoginsSteps } from '#agent/features/access/login-closing.ts'
import { installDropIn } from '#agent/features/object-cache/drop-in.ts'
import * as fpm from '#agent/features/php/fpm.ts'
import { pausePools } from '#agent/features/php/fpm-removal.ts'
import { awaitAnswerStep } from '#agent/features/web/front-page.ts'
import { installPlugin } from '#agent/features/web/page-purge/plugin.ts'
import { purgeStep } from '#agent/features/web/purge.ts'
import type { Change } from '#agent/kernel/effects/change.ts'
import { hostAfter } from '#agent/kernel/effects/host-after.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { pauseJobsForReplacing, resumeJobsAfterReplacing } from './pause-jobs.ts'

/** Stops the programs of the site and ends sessions; nginx still serves visitors from its cache. */
export function pauseSiteSteps(host: Host, site: Site): Step[] {
  const steady = host.steady ?? host
  return [
    {
      name: 'jobs',
      title: 'Pausing the jobs of WordPress',
      ...pauseJobsForReplacing(host, site.user),
      undo: resumeJobsAfterReplacing(steady, site.user).apply,
    },
    {
      name: 'stop',
      title: 'Stopping PHP',
      ...pausePools(host, site),
      undo: fpm.apply(steady, site).apply,
    },
    ...closeLoginsSteps(host, site),
  ]
}

/** Installs files of ours again: the restored files may lack them. */
function ownFileSteps(host: Host, site: Site): Step[] {
  const objects: Step = {
    name: 'drop-in',
    title: 'Installing the drop-in of the object cache',
    ...failureIgnored(installDropIn(host, site)),
  }
  const pages: Step = {
    name: 'purge plugin',
    title: 'Installing the plugin that reports changed pages',
    ...failureIgnored(installPlugin(host, site)),
  }
  return [
    ...(site.object_cache ? [objects] : []),
    ...(site.settings?.page_purge === true ? [pages] : []),
  ]
}

/** Ignores a failure: a site whose PHP does not run can be restored, too. */
const failureIgnored = ({ effects, apply }: Change): Pick<Step, 'effects' | 'apply'> => ({
  effects: () => effects().catch(() => []),
  async *apply() {
    try {
      await apply()
    } catch (error) {
      yield `Warning: ${error instanceof Error ? error.message : String(error)}`
    }
  },
})

/** Resumes the site and requests its first page: a problem is reported, and undoes nothing. */
export function resumeSiteSteps(host: Host, site: Site): Step[] {
  const { user, domain, php } = site
  const steady = host.steady ?? host
  return [
    {
      name: 'start',
      title: `Starting PHP ${php}`,
      effects: async () =>
        fpm.apply(hostAfter(host, await pausePools(host, site).effects()), site).effects(),
      apply: fpm.apply(host, site).apply,
      undo: pausePools(steady, site).apply,
    },
    ...ownFileSteps(host, site),
    purgeStep(host, site),
    {
      name: 'release',
      title: 'Resuming the jobs of WordPress',
      ...resumeJobsAfterReplacing(host, user),
    },
    ...openLoginsSteps(host, site),
    awaitAnswerStep(host, domain),
  ]
}
