import type { Host } from '#agent/host/ports.ts'
import { run } from '#agent/os/effects/effects.ts'
import { purge } from '#agent/os/nginx/purge.ts'
import { getSite, type Site } from '#agent/os/site/sites.ts'
import { wordpressFailure } from '#agent/os/wordpress/failure.ts'
import { runWpCli } from '#agent/os/wordpress/wp-cli.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import { apexOf } from '#shared/names.ts'

export const wpCacheFlush: Command<'wp.cache-flush'> = {
  lock: ({ domain }) => apexOf(domain),
  plan: stepsOf,
  async *run({ domain }, { host, perform }) {
    yield* perform(await stepsOf({ domain }, host))
    return { domain }
  },
}

/** The pages last: one that is requested in between is built from the old objects. */
async function stepsOf({ domain }: { domain: string }, host: Host): Promise<Step[]> {
  const site = await getSite(host, domain)
  return [
    {
      name: 'objects',
      title: `Flushing the object cache of ${domain}`,
      effects: [run('program', 'wp cache flush')],
      apply: () => flush(host, site),
    },
    {
      name: 'pages',
      title: `Emptying the page cache of ${domain}`,
      ...purge(host, site.user),
    },
  ]
}

/** A broken plugin or theme is not loaded, and so does not prevent it. */
async function flush(host: Host, site: Site): Promise<void> {
  const output = await runWpCli(host, site, ['--skip-plugins', '--skip-themes', 'cache', 'flush'])
  if (output.code !== 0) throw wordpressFailure(site, output, 'The object cache was not flushed')
}
