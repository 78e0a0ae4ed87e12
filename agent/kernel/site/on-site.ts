import type { Host } from '#agent/kernel/host/ports.ts'
import type { Warn } from '#agent/kernel/steps/command.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { findSite, getSite, type Site } from './sites.ts'

interface Named {
  domain: string
}

/** What most commands have in common: they lock one site of this server, and have it as `site`. */
export const onSite = {
  lock: ({ domain }: Named): string => apexOf(domain),
  check: async ({ domain }: Named, host: Host): Promise<{ site: Site }> => ({
    site: await getSite(host, domain),
  }),
  async find({ domain }: Named, host: Host): Promise<{ site: Site } | undefined> {
    const site = await findSite(host, domain)
    return site && { site }
  },
}

/** The result of a command that returns nothing but its site. */
export const domainOf = ({ params: { domain } }: { params: Named }) => ({ domain })

/** For a command that is complete, although an obstacle prevents its cleanup, which is retried. */
export const warnOfCleanup = (message: string, { warn }: { warn: Warn }): void =>
  warn({ code: 'cleanup_pending', message })
