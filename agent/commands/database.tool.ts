import { mariadbSteps } from '#agent/os/database/mariadb.ts'
import { toolSteps } from '#agent/os/database-tool/install.ts'
import { accountStep, type Made, madeOf, refuseUnfit } from '#agent/os/site-database/new-user.ts'
import { command, ready, value } from '#agent/steps/command.ts'
import { onSite } from './on-site.ts'

const made = value<Made>('The temporary user is missing')

/**
 * Its session is the temporary user: when the user ends, Adminer answers no request of the session
 * any more.
 */
export const databaseTool = command('database.tool', {
  ...onSite,
  async check(params, host) {
    await refuseUnfit(params, host)
    return onSite.check(params, host)
  },
  steps({ params, host, gives }) {
    const account = accountStep(params, host)
    return [
      ready(() => toolSteps(host)),
      ready(() => mariadbSteps(host)),
      { ...account, apply: gives(made, account.apply) },
    ]
  },
  finished: madeOf,
  result: ({ get }) => get(made),
})
