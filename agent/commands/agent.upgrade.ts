import type { Host } from '../host/ports.ts'
import { fetchBuild, programOf, startSwitch, verdictOn } from '../os/upgrade.ts'
import { type Command, WHOLE_SERVER } from './command.ts'

const PATIENCE_MS = 120_000

/** The switch restarts the agent: whichever of the two answers then ends the operation. */
export const agentUpgrade: Command<'agent.upgrade'> = {
  lock: () => WHOLE_SERVER,
  async *run({ url, sha256 }, { host, perform }) {
    const program = await programOf(host)
    yield `Downloading ${url}`
    yield await fetchBuild(host, { url, sha256 }, program)
    let begun = false
    yield* perform([
      {
        name: 'switch',
        title: 'Restarting with the new version',
        async apply() {
          await startSwitch(host, program, sha256)
          begun = true
        },
        decided: async () => begun,
      },
    ])
    return outcome(host, sha256)
  },
  async *resume({ sha256 }, { host }) {
    yield 'The agent was restarted; waiting for the new version to answer'
    return outcome(host, sha256)
  },
}

async function outcome(host: Host, sha256: string): Promise<{ version: string }> {
  for (const end = host.clock.now() + PATIENCE_MS; host.clock.now() < end; ) {
    const verdict = await verdictOn(host, sha256)
    if (verdict === 'answers') return { version: host.settings.version }
    if (verdict === 'back')
      throw new Error('The new version did not answer; the previous one is back')
    await host.clock.sleep(200)
  }
  throw new Error('Nobody knows whether the new version answers: see journalctl -u hosting-upgrade')
}
