import { ensureMariadb } from '#agent/os/database/mariadb.ts'
import { endTemporary, temporaryOf } from '#agent/os/database/temporary-accounts.ts'
import { remove } from '#agent/os/effects/effects.ts'
import { getSite } from '#agent/os/site/sites.ts'
import { command } from '#agent/steps/command.ts'
import { notFound } from '#shared/errors.ts'

/** It needs no lock: it must not wait for other work on the site. Its interruption is repeated. */
export const databaseUserEnd = command('database.user-end', {
  lock: () => undefined,
  /** Throws not_found for a user of another site too. */
  async check({ domain, user }, host) {
    const { user: database } = await getSite(host, domain)
    const known = (await temporaryOf(host, database)).some((one) => one.user === user)
    if (!known) throw notFound(`Temporary user ${user} of ${domain}`)
    return {}
  },
  steps: ({ params: { domain, user }, host }) => [
    {
      name: 'account',
      title: `Ending a temporary user of the database of ${domain}`,
      effects: [remove('account', `${user}@localhost`)],
      apply: () => endTemporary(host, user),
    },
  ],
  result: ({ params: { domain, user } }) => ({ domain, user }),
  async finished({ domain, user }, host) {
    const { user: database } = await getSite(host, domain)
    await ensureMariadb(host)
    const isThere = (await temporaryOf(host, database)).some((one) => one.user === user)
    return isThere ? undefined : { domain, user }
  },
})
