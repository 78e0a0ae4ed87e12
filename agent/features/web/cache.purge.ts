import { domainOf, onSite } from '#agent/kernel/site/on-site.ts'
import { command } from '#agent/kernel/steps/command.ts'
import { purge } from './purge.ts'

export const cachePurge = command('cache.purge', {
  ...onSite,
  steps: ({ host, site }) => [
    {
      name: 'pages',
      title: `Emptying the page cache of ${site.domain}`,
      ...purge(host, site.user),
    },
  ],
  result: domainOf,
})
