import { closingSteps, openingSteps } from '#agent/features/access/closing.ts'
import { installDropIn } from '#agent/features/object-cache/drop-in.ts'
import * as fpm from '#agent/features/php/fpm.ts'
import { pauseAll } from '#agent/features/php/fpm-removal.ts'
import { awaitAnswer } from '#agent/features/web/front-page.ts'
import { installPlugin } from '#agent/features/web/page-purge/plugin.ts'
import { purge } from '#agent/features/web/purge.ts'
import type { Change } from '#agent/kernel/effects/change.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import { without } from '#agent/kernel/effects/without.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { holdForReplacing, releaseAfterReplacing } from './hold.ts'

/**
 * No program of the site runs any more, and nobody is logged in; nginx still gives visitors the
 * pages of its cache.
 */
export function pauseSteps(host: Host, site: Site): Step[] {
  const steady = host.steady ?? host
  return [
    {
      name: 'jobs',
      title: 'Pausing the jobs of WordPress',
      ...holdForReplacing(host, site.user),
      undo: releaseAfterReplacing(steady, site.user).apply,
    },
    {
      name: 'stop',
      title: 'Stopping PHP',
      ...pauseAll(host, site),
      undo: fpm.apply(steady, site).apply,
    },
    ...closingSteps(host, site),
  ]
}

/** The restored files may lack them. */
function ownFileSteps(host: Host, site: Site): Step[] {
  const objects: Step = {
    name: 'drop-in',
    title: 'Installing the drop-in of the object cache',
    ...orWarn(installDropIn(host, site)),
  }
  const pages: Step = {
    name: 'purge plugin',
    title: 'Installing the plugin that reports changed pages',
    ...orWarn(installPlugin(host, site)),
  }
  return [
    ...(site.object_cache ? [objects] : []),
    ...(site.settings?.page_purge === true ? [pages] : []),
  ]
}

/** A site whose PHP does not run can be restored, too. */
const orWarn = ({ effects, apply }: Change): Pick<Step, 'effects' | 'apply'> => ({
  effects: () => effects().catch(() => []),
  async *apply() {
    try {
      await apply()
    } catch (error) {
      yield `Warning: ${error instanceof Error ? error.message : String(error)}`
    }
  },
})

/** The opposite, with the first answer of the site: a problem is reported, and undoes nothing. */
export function resumeSteps(host: Host, site: Site): Step[] {
  const { user, domain, php } = site
  const steady = host.steady ?? host
  return [
    {
      name: 'start',
      title: `Starting PHP ${php}`,
      effects: async () =>
        fpm.apply(without(host, await pauseAll(host, site).effects()), site).effects(),
      apply: fpm.apply(host, site).apply,
      undo: pauseAll(steady, site).apply,
    },
    ...ownFileSteps(host, site),
    { name: 'pages', title: `Emptying the page cache of ${domain}`, ...purge(host, user) },
    {
      name: 'release',
      title: 'Resuming the jobs of WordPress',
      ...releaseAfterReplacing(host, user),
    },
    ...openingSteps(host, site),
    {
      name: 'probe',
      title: 'Waiting for an answer of the site',
      effects: [run('request', `http://${domain}/`)],
      async *apply() {
        const problem = await awaitAnswer(host, domain)
        if (problem !== undefined) yield `Warning: ${domain} ${problem}`
      },
    },
  ]
}
