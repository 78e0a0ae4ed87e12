import {
  accountStep,
  getMade,
  type Made,
  refuseUnfit,
} from '#agent/features/database/site/new-user.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { command, ready, value } from '#agent/kernel/steps/command.ts'

const made = value<Made>('The temporary user is missing')

/** The password exists at the dashboard and in the browser of its user only. */
export const databaseUser = command('database.user', {
  ...onSite,
  async check(params, host) {
    await refuseUnfit(params, host)
    return onSite.check(params, host)
  },
  steps({ params, host, gives }) {
    const account = accountStep(params, host)
    return [ready(() => mariadbSteps(host)), { ...account, apply: gives(made, account.apply) }]
  },
  result: async ({ params, host, find }) => find(made) ?? (await getMade(params, host)),
})
