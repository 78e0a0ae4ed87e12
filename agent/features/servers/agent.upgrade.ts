import { checkRelease } from '#agent/features/updates/upgrade/release.ts'
import {
  draftOf,
  fetchBuild,
  planFetch,
  planSwitch,
  programOf,
  startSwitch,
  verdictOn,
} from '#agent/features/updates/upgrade/upgrade.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { command, type Progress, value, WHOLE_SERVER } from '#agent/kernel/steps/command.ts'

const TIMEOUT_MS = 120_000

const started = value<true>('The switch was not started')

/** The switch restarts the agent, and the next process ends the operation. */
export const agentUpgrade = command('agent.upgrade', {
  lock: () => WHOLE_SERVER,
  async check(build, host) {
    const program = await programOf(host)
    await checkRelease(host, build)
    return { program }
  },
  steps: ({ params: build, host, program, gives, find }) => [
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
      apply: gives(started, async () => {
        await startSwitch(host, program, build.sha256)
        return true
      }),
      decided: async () => find(started) === true,
    },
  ],
  result: ({ params: { sha256 }, host }) => outcome(host, sha256),
  async *resume({ sha256 }, { host }) {
    yield 'The agent was restarted; waiting for the new version to answer'
    return outcome(host, sha256)
  },
})

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
