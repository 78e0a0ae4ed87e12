import { purge } from '#agent/os/nginx/purge.ts'
import { command } from '#agent/steps/command.ts'
import { domainOf, onSite } from './on-site.ts'

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
