import { apexOf } from '#shared/names.ts'
import { purge } from '../os/nginx.ts'
import { getSite } from '../os/sites.ts'
import type { Command } from './command.ts'

export const cachePurge: Command<'cache.purge'> = {
  lock: ({ domain }) => apexOf(domain),
  async *run({ domain }, { host }) {
    const { user } = await getSite(host, domain)
    yield `Emptying the page cache of ${domain}`
    await purge(host, user)
    return { domain }
  },
}
