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
import { syncFolders } from '#agent/kernel/users/users.ts'
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

/**
 * Starts PHP, which writes for visitors from then on: the step that decides comes directly after
 * it, since an undo would lose their writes. What programs wrote is on the disk before: a power
 * failure after the decision would leave empty files.
 */
export function startSiteSteps(host: Host, site: Site): Step[] {
  const steady = host.steady ?? host
  return [
    ...ownFileSteps(host, site),
    {
      name: 'sync',
      title: 'Writing the files to the disk',
      effects: [],
      apply: () => syncFolders(host, site.user),
    },
    {
      name: 'start',
      title: `Starting PHP ${site.php}`,
      effects: async () =>
        fpm.apply(hostAfter(host, await pausePools(host, site).effects()), site).effects(),
      apply: fpm.apply(host, site).apply,
      undo: pausePools(steady, site).apply,
    },
  ]
}

/**
 * Resumes what was paused, after the decision, and requests the first page: a problem is reported
 * and retried, and undoes nothing.
 */
export const resumeSiteSteps = (host: Host, site: Site): Step[] => [
  ...openLoginsSteps(host, site),
  {
    name: 'release',
    title: 'Resuming the jobs of WordPress',
    ...resumeJobsAfterReplacing(host, site.user),
  },
  purgeStep(host, site),
  awaitAnswerStep(host, site.domain),
]
