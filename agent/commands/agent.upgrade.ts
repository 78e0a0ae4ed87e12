import type { Host } from '#agent/host/ports.ts'
import { checkRelease, type Release } from '#agent/os/upgrade/release.ts'
import {
  draftOf,
  fetchBuild,
  planFetch,
  planSwitch,
  programOf,
  startSwitch,
  verdictOn,
} from '#agent/os/upgrade/upgrade.ts'
import { type Command, type Progress, type Step, WHOLE_SERVER } from '#agent/steps/command.ts'

const TIMEOUT_MS = 120_000

/** The switch restarts the agent, and the next process ends the operation. */
export const agentUpgrade: Command<'agent.upgrade'> = {
  lock: () => WHOLE_SERVER,
  plan: stepsOf,
  async *run(build, { host, perform }) {
    yield* perform(await stepsOf(build, host))
    return outcome(host, build.sha256)
  },
  async *resume({ sha256 }, { host }) {
    yield 'The agent was restarted; waiting for the new version to answer'
    return outcome(host, sha256)
  },
}

async function stepsOf(build: Release & { url: string }, host: Host): Promise<Step[]> {
  const program = await programOf(host)
  await checkRelease(host, build)
  let started = false
  return [
    {
      name: 'build',
      title: `Downloading ${build.url}`,
      effects: planFetch(build.url, program),
      async *apply(): Progress<void> {
        yield await fetchBuild(host, build, program)
      },
      undo: () => host.files.remove(draftOf(program)),
    },
    {
      name: 'switch',
      title: 'Restarting with the new version',
      effects: () => planSwitch(host, program),
      async apply() {
        await startSwitch(host, program, build.sha256)
        started = true
      },
      decided: async () => started,
    },
  ]
}

async function outcome(host: Host, sha256: string): Promise<{ version: string }> {
  for (const end = host.clock.elapsed() + TIMEOUT_MS; host.clock.elapsed() < end; ) {
    const verdict = await verdictOn(host, sha256)
    if (verdict === 'answers') return { version: host.settings.version }
    if (verdict === 'back')
      throw new Error('The new version did not answer; the previous one was restored')
    await host.clock.sleep(200)
  }
  throw new Error(
    'It is unknown whether the new version answers: see journalctl -u hosting-upgrade',
  )
}
