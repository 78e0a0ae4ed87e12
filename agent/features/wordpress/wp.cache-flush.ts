import { purge } from '#agent/features/web/purge.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { domainOf, onSite } from '#agent/kernel/site/on-site.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { command } from '#agent/kernel/steps/command.ts'
import { wordpressFailure } from './failure.ts'
import { runWpCli } from './wp-cli.ts'

/** The pages last: one that is requested in between is built from the old objects. */
export const wpCacheFlush = command('wp.cache-flush', {
  ...onSite,
  steps: ({ host, site }) => [
    {
      name: 'objects',
      title: `Flushing the object cache of ${site.domain}`,
      effects: [run('program', 'wp cache flush')],
      apply: () => flush(host, site),
    },
    {
      name: 'pages',
      title: `Emptying the page cache of ${site.domain}`,
      ...purge(host, site.user),
    },
  ],
  result: domainOf,
})

/** A broken plugin or theme is not loaded, and so does not prevent it. */
async function flush(host: Host, site: Site): Promise<void> {
  const output = await runWpCli(host, site, ['--skip-plugins', '--skip-themes', 'cache', 'flush'])
  if (output.code !== 0) throw wordpressFailure(site, output, 'The object cache was not flushed')
}
