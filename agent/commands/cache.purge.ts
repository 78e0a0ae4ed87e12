import type { Host } from '#agent/host/ports.ts'
import { purge } from '#agent/os/nginx/purge.ts'
import { getSite } from '#agent/os/site/sites.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import { apexOf } from '#shared/names.ts'

export const cachePurge: Command<'cache.purge'> = {
  lock: ({ domain }) => apexOf(domain),
  plan: stepsOf,
  async *run({ domain }, { host, perform }) {
    yield* perform(await stepsOf({ domain }, host))
    return { domain }
  },
}

async function stepsOf({ domain }: { domain: string }, host: Host): Promise<Step[]> {
  const { user } = await getSite(host, domain)
  return [
    {
      name: 'pages',
      title: `Emptying the page cache of ${domain}`,
      ...purge(host, user),
    },
  ]
}
