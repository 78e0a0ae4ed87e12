import { command, WHOLE_SERVER } from '#agent/kernel/steps/command.ts'
import { checkMaintenance } from './check.ts'
import { unattendedSteps } from './unattended.ts'

/** A restart of the agent does not end it: apt continues, and completed steps are skipped. */
export const updatesConfigure = command('updates.configure', {
  lock: () => WHOLE_SERVER,
  resume: 'again',
  steps: ({ params: { unattended }, host }) => unattendedSteps(host, unattended),
  async *result({ host }) {
    const found = (await checkMaintenance(host)).unattended
    yield found.enabled
      ? 'Security updates are installed automatically'
      : `Security updates are not installed automatically${found.detail && `: ${found.detail}`}`
    return { unattended: found }
  },
})
