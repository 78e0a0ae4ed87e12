import type { Host } from '#agent/kernel/host/ports.ts'
import type { Warn } from '#agent/kernel/steps/command.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { findSite, getSite, type Site } from './sites.ts'

interface DomainParams {
  domain: string
}

/** The lock and the site of most commands, which lock a site of this server, given as `site`. */
export const onSite = {
  lock: ({ domain }: DomainParams): string => apexOf(domain),
  check: async ({ domain }: DomainParams, host: Host): Promise<{ site: Site }> => ({
    site: await getSite(host, domain),
  }),
  async find({ domain }: DomainParams, host: Host): Promise<{ site: Site } | undefined> {
    const site = await findSite(host, domain)
    return site && { site }
  },
}

/** Returns the result of a command that returns nothing but its site. */
export const domainOf = ({ params: { domain } }: { params: DomainParams }) => ({ domain })

/** Warns that a command is complete but an obstacle prevents its cleanup, which is retried. */
export const warnOfCleanup = (message: string, { warn }: { warn: Warn }): void =>
  warn({ code: 'cleanup_pending', message })
