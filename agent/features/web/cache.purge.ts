import { domainOf, onSite } from '#agent/kernel/site/on-site.ts'
import { command } from '#agent/kernel/steps/command.ts'
import { purgeStep } from './purge.ts'

export const cachePurge = command('cache.purge', {
  ...onSite,
  steps: ({ host, site }) => [purgeStep(host, site)],
  result: domainOf,
})
