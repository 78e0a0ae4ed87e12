import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  command,
  later,
  line,
  type Progress,
  stepResult,
  WHOLE_SERVER,
} from '#agent/kernel/steps/command.ts'
import { checkMaintenance } from './check.ts'
import { programRestarts } from './program-restarts.ts'
import { AGENT_UNIT } from './services.ts'
import { refreshLists, upgradeSteps } from './upgrade.ts'

const pendingNames = stepResult<string[]>('The lists of packages were not read')
const restartedNames = stepResult<string[]>('The programs were not restarted')

/**
 * A restart of the agent does not end it: installed packages are skipped. Nothing is undone, since
 * the previous versions may no longer be available; a missing restart is retried later.
 */
export const serverUpdate = command('server.update', {
  lock: () => WHOLE_SERVER,
  resume: 'again',
  steps: ({ params: { scope, restart_database: database }, host, gives }) => [
    line(gives(pendingNames, () => lookForUpdates(host))),
    later(() => upgradeSteps(host, scope)),
    {
      name: 'restarts',
      title: 'Restarting programs with replaced files, one after the other',
      effects: [run('restart', 'programs that run replaced files')],
      apply: gives(restartedNames, () => restartPrograms(host, database)),
    },
  ],
  async *result({ host, get }) {
    const { packages, reboot } = await checkMaintenance(host)
    const left = new Set(packages.map(({ name }) => name))
    const installed = get(pendingNames).filter((name) => !left.has(name))
    yield `${installed.length} packages were updated`
    if (reboot.needed) yield `The server needs a reboot: ${reboot.reasons.join(', ')}`
    return { packages: installed, restarted: get(restartedNames), reboot_needed: reboot.needed }
  },
})

async function* lookForUpdates(host: Host): Progress<string[]> {
  yield 'Looking for updates'
  yield* refreshLists(host)
  const { packages } = await checkMaintenance(host)
  return packages.map(({ name }) => name)
}

/** Restarts programs, known after the installation; the agent when no operation runs. */
async function* restartPrograms(host: Host, database: boolean): Progress<string[]> {
  const names: string[] = []
  for (const { name, title, effects, apply } of await programRestarts(host, { database })) {
    if (effects[0]?.name === AGENT_UNIT) continue
    yield title
    await apply()
    names.push(name)
  }
  return names
}
