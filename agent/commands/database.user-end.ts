import type { Host } from '#agent/host/ports.ts'
import { ensureMariadb } from '#agent/os/database/mariadb.ts'
import { endTemporary, temporaryOf } from '#agent/os/database/temporary-accounts.ts'
import { remove } from '#agent/os/effects/effects.ts'
import { getSite } from '#agent/os/site/sites.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { notFound } from '#shared/errors.ts'

type Params = ParamsOf<'database.user-end'>

/** It needs no lock: it must not wait for other work on the site. Its interruption is repeated. */
export const databaseUserEnd: Command<'database.user-end'> = {
  lock: () => undefined,
  plan: async (params, host) => [await endStep(params, host)],
  async finished({ domain, user }, host) {
    const { user: database } = await getSite(host, domain)
    await ensureMariadb(host)
    const isThere = (await temporaryOf(host, database)).some((one) => one.user === user)
    return isThere ? undefined : { domain, user }
  },
  async *run(params, { host, perform }) {
    yield* perform([await endStep(params, host)])
    return { domain: params.domain, user: params.user }
  },
}

/** Throws not_found for a user of another site too. */
async function endStep({ domain, user }: Params, host: Host): Promise<Step> {
  const { user: database } = await getSite(host, domain)
  const known = (await temporaryOf(host, database)).some((one) => one.user === user)
  if (!known) throw notFound(`Temporary user ${user} of ${domain}`)
  return {
    name: 'account',
    title: `Ending a temporary user of the database of ${domain}`,
    effects: [remove('account', `${user}@localhost`)],
    apply: () => endTemporary(host, user),
  }
}
