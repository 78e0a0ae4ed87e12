import type { Host } from '#agent/host/ports.ts'
import { mariadbSteps } from '#agent/os/database/mariadb.ts'
import { toolSteps } from '#agent/os/database-tool/install.ts'
import { accountStep, type Made, madeOf, refuseUnfit } from '#agent/os/site-database/new-user.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { apexOf } from '#shared/names.ts'

type Params = ParamsOf<'database.tool'>

/**
 * Its session is the temporary user: when the user ends, Adminer answers no request of the session
 * any more.
 */
export const databaseTool: Command<'database.tool'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: async (params, host) => [accountStep(params, host)],
  async plan(params, host) {
    await refuseUnfit(params, host)
    return stepsOf(params, host)
  },
  finished: madeOf,
  async *run(params, { host, announce, perform }) {
    await refuseUnfit(params, host)
    const learned: { made?: Made } = {}
    const steps = await stepsOf(params, host, (made) => Object.assign(learned, { made }))
    announce(steps)
    yield* perform(steps)
    if (!learned.made) throw new Error('The temporary user is missing')
    return learned.made
  },
}

/** The user last: its time starts when everything else is there. */
const stepsOf = async (
  params: Params,
  host: Host,
  done?: (made: Made) => void,
): Promise<Step[]> => [
  ...(await toolSteps(host)),
  ...(await mariadbSteps(host)),
  accountStep(params, host, done),
]
