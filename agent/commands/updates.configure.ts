import { checkMaintenance } from '#agent/os/maintenance/check.ts'
import { unattendedSteps } from '#agent/os/maintenance/unattended.ts'
import { type Command, WHOLE_SERVER } from '#agent/steps/command.ts'

/** A restart of the agent does not end it: apt continues, and completed steps are skipped. */
export const updatesConfigure: Command<'updates.configure'> = {
  lock: () => WHOLE_SERVER,
  plan: ({ unattended }, host) => unattendedSteps(host, unattended),
  async *resume(params, context) {
    yield 'The agent was restarted; continuing'
    return yield* updatesConfigure.run(params, context)
  },
  async *run({ unattended }, { host, perform }) {
    yield* perform(await unattendedSteps(host, unattended))
    const found = (await checkMaintenance(host)).unattended
    yield found.enabled
      ? 'Security updates are installed automatically'
      : `Security updates are not installed automatically${found.detail && `: ${found.detail}`}`
    return { unattended: found }
  },
}
