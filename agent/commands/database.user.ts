import { mariadbSteps } from '#agent/os/database/mariadb.ts'
import { accountStep, type Made, madeOf, refuseUnfit } from '#agent/os/site-database/new-user.ts'
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
    const learned: { made?: Made } = {}
    const account = accountStep(params, host, (made) => Object.assign(learned, { made }))
    const steps = [...(await mariadbSteps(host)), account]
    announce(steps)
    yield* perform(steps)
    if (!learned.made) throw new Error('The temporary user is missing')
    return learned.made
  },
}
