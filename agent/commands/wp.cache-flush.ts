import type { Host } from '#agent/host/ports.ts'
import { run } from '#agent/os/effects/effects.ts'
import { purge } from '#agent/os/nginx/purge.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { wordpressFailure } from '#agent/os/wordpress/failure.ts'
import { runWpCli } from '#agent/os/wordpress/wp-cli.ts'
import { command } from '#agent/steps/command.ts'
import { domainOf, onSite } from './on-site.ts'

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
