import {
  accountStep,
  type CreatedUser,
  getMade,
  refuseUserLimit,
} from '#agent/features/database/site/new-user.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { command, ready, stepResult } from '#agent/kernel/steps/command.ts'

const made = stepResult<CreatedUser>('The temporary user is missing')

/** Returns a password that only the dashboard and the browser of its user have. */
export const databaseUser = command('database.user', {
  ...onSite,
  async check(params, host) {
    await refuseUserLimit(params, host)
    return onSite.check(params, host)
  },
  steps({ params, host, gives }) {
    const account = accountStep(params, host)
    return [ready(() => mariadbSteps(host)), { ...account, apply: gives(made, account.apply) }]
  },
  result: async ({ params, host, find }) => find(made) ?? (await getMade(params, host)),
})
