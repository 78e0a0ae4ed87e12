import { purgeStep } from '#agent/features/web/purge.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { domainOf, onSite } from '#agent/kernel/site/on-site.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { command } from '#agent/kernel/steps/command.ts'
import { wordpressFailure } from './failure.ts'
import { runWpCli } from './wp-cli.ts'

/** Empties the page cache last: pages until then are built from old objects. */
export const wpCacheFlush = command('wp.cache-flush', {
  ...onSite,
  steps: ({ host, site }) => [
    {
      name: 'objects',
      title: `Flushing the object cache of ${site.domain}`,
      effects: [run('program', 'wp cache flush')],
      apply: () => flushObjectCache(host, site),
    },
    purgeStep(host, site),
  ],
  result: domainOf,
})

/** Loads no plugins and theme, so that a broken one does not prevent it. */
async function flushObjectCache(host: Host, site: Site): Promise<void> {
  const output = await runWpCli(host, site, ['--skip-plugins', '--skip-themes', 'cache', 'flush'])
  if (output.code !== 0) throw wordpressFailure(site, output, 'The object cache was not flushed')
}
