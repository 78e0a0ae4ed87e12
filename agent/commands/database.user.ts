import type { Host } from '#agent/host/ports.ts'
import { ensureMariadb, mariadbSteps } from '#agent/os/database/mariadb.ts'
import {
  createTemporary,
  endTemporary,
  findTemporary,
  temporaryOf,
} from '#agent/os/database/temporary-accounts.ts'
import { create } from '#agent/os/effects/effects.ts'
import { getSite } from '#agent/os/site/sites.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf, ResultOf } from '#shared/commands.ts'
import { MOST_DATABASE_USERS } from '#shared/database-user.ts'
import { conflict } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'

type Params = ParamsOf<'database.user'>

/** The password exists at the dashboard and in the browser of its user only. */
export const databaseUser: Command<'database.user'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: async (params, host) => [accountStep(params, host)],
  async plan(params, host) {
    await refuseUnfit(params, host)
    return [...(await mariadbSteps(host)), accountStep(params, host)]
  },
  finished: madeOf,
  async *run(params, { host, announce, perform }) {
    await refuseUnfit(params, host)
    const steps = [...(await mariadbSteps(host)), accountStep(params, host)]
    announce(steps)
    yield* perform(steps)
    const made = await madeOf(params, host)
    if (!made) throw new Error('The temporary user is already gone')
    return made
  },
}

async function refuseUnfit({ domain }: Params, host: Host): Promise<void> {
  const { user, moving } = await getSite(host, domain)
  if (moving?.closed) throw conflict(`${domain} moves to another server: its database is there`)
  await ensureMariadb(host)
  const [database] = await host.database.admin('find_database', [user])
  if (!database) throw conflict(`${domain} has no database`)
  if ((await temporaryOf(host, user)).length < MOST_DATABASE_USERS) return
  throw conflict(`${domain} already has ${MOST_DATABASE_USERS} temporary users: end one of them`)
}

function accountStep(params: Params, host: Host): Step {
  const { domain, token, rights, minutes, account_hash: password_hash } = params
  const steady = host.steady ?? host
  return {
    name: 'account',
    title: `Creating a temporary user of the database of ${domain}`,
    effects: [create('account', `hosting_tmp_${token}@localhost`)],
    async apply() {
      const wanted = { token, rights, seconds: minutes * 60, password_hash }
      await createTemporary(host, await getSite(host, domain), wanted)
    },
    async undo() {
      const made = await findTemporary(steady, token)
      if (made) await endTemporary(steady, made.user)
    },
  }
}

/** Undefined: it was not created, or has no rights yet. */
async function madeOf(
  { domain, token }: Params,
  host: Host,
): Promise<ResultOf<'database.user'> | undefined> {
  const made = await findTemporary(host, token)
  if (made?.database === undefined) return undefined
  const { user, database, ends } = made
  return { domain, user, database, ends_at: new Date(ends * 1000).toISOString() }
}
