import { mariadbSteps } from '#agent/os/database/mariadb.ts'
import { accountStep, madeOf, refuseUnfit } from '#agent/os/site-database/new-user.ts'
import type { Command } from '#agent/steps/command.ts'
import { apexOf } from '#shared/names.ts'

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
