import type { Host } from '#agent/host/ports.ts'
import { run } from '#agent/os/effects/effects.ts'
import { checkMaintenance } from '#agent/os/maintenance/check.ts'
import { renewals } from '#agent/os/maintenance/renewals.ts'
import { AGENT_UNIT } from '#agent/os/maintenance/services.ts'
import { refreshLists, type Scope, upgradeSteps } from '#agent/os/maintenance/upgrade.ts'
import { type Command, type Step, WHOLE_SERVER } from '#agent/steps/command.ts'

/**
 * A restart of the agent does not end it: installed packages are skipped. Nothing is undone, since
 * the previous versions may no longer be available; a missing restart is retried later.
 */
export const serverUpdate: Command<'server.update'> = {
  lock: () => WHOLE_SERVER,
  plan: (params, host) => stepsOf(params, host, []),
  async *resume(params, context) {
    yield 'The agent was restarted; continuing'
    return yield* serverUpdate.run(params, context)
  },
  async *run(params, { host, perform }) {
    yield 'Looking for updates'
    yield* refreshLists(host)
    const before = await pendingNames(host)
    const restarted: string[] = []
    yield* perform(await stepsOf(params, host, restarted))
    const { packages, reboot } = await checkMaintenance(host)
    const left = new Set(packages.map(({ name }) => name))
    const installed = before.filter((name) => !left.has(name))
    yield `${installed.length} packages were updated`
    if (reboot.needed) yield `The server needs a reboot: ${reboot.reasons.join(', ')}`
    return { packages: installed, restarted, reboot_needed: reboot.needed }
  },
}

interface Params {
  scope: Scope
  restart_database: boolean
}

async function stepsOf(params: Params, host: Host, restarted: string[]): Promise<Step[]> {
  return [...(await upgradeSteps(host, params.scope)), restartStep(params, host, restarted)]
}

/** Known only after the installation. The agent itself restarts when no operation runs, and this is one. */
function restartStep(
  { restart_database: database }: Params,
  host: Host,
  restarted: string[],
): Step {
  return {
    name: 'restarts',
    title: 'Restarting programs with replaced files, one after the other',
    effects: [run('restart', 'programs that run replaced files')],
    async *apply() {
      for (const { name, title, effects, apply } of await renewals(host, { database })) {
        if (effects[0]?.name === AGENT_UNIT) continue
        yield title
        await apply()
        restarted.push(name)
      }
    },
  }
}

async function pendingNames(host: Host): Promise<string[]> {
  const { packages } = await checkMaintenance(host)
  return packages.map(({ name }) => name)
}
