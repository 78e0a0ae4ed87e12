import { ensureMariadb } from '#agent/kernel/database/mariadb.ts'
import { endTemporary, temporaryOf } from '#agent/kernel/database/temporary-accounts.ts'
import { remove } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { findSite, getSite } from '#agent/kernel/site/sites.ts'
import { command } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { notFound } from '#shared/kernel/errors.ts'

/** Needs no lock, so that it never waits for other work on the site, and is repeatable. */
export const databaseUserEnd = command('database.user-end', {
  lock: () => undefined,
  /** Throws not_found for a user of another site too. */
  async check(params, host) {
    await getSite(host, params.domain)
    if (await exists(host, params)) return {}
    throw notFound(`Temporary user ${params.user} of ${params.domain}`)
  },
  find: async () => ({}),
  steps: ({ params, params: { domain, user }, host }) => [
    {
      name: 'account',
      title: `Ending a temporary user of the database of ${domain}`,
      effects: [remove('account', `${user}@localhost`)],
      apply: () => endTemporary(host, user),
      decided: async () => !(await exists(host, params)),
    },
  ],
  result: ({ params: { domain, user } }) => ({ domain, user }),
})

async function exists(host: Host, { domain, user }: ParamsOf<'database.user-end'>) {
  const site = await findSite(host, domain)
  await ensureMariadb(host)
  return site && (await temporaryOf(host, site.user)).some((one) => one.user === user)
}
