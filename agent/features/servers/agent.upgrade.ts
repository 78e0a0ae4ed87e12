import { checkRelease } from '#agent/features/updates/upgrade/release.ts'
import {
  fetched,
  findVerdict,
  programOf,
  switched,
} from '#agent/features/updates/upgrade/upgrade.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { command, stepResult, WHOLE_SERVER } from '#agent/kernel/steps/command.ts'

const TIMEOUT_MS = 120_000

const started = stepResult<true>('The switch was not started')

/** The switch restarts the agent, and the next process ends the operation. */
export const agentUpgrade = command('agent.upgrade', {
  lock: () => WHOLE_SERVER,
  async check(build, host) {
    const program = await programOf(host)
    await checkRelease(host, build)
    return { program }
  },
  steps({ params: build, host, program, gives, find }) {
    const { effects, apply } = switched(host, program, build.sha256)
    return [
      { name: 'build', title: `Downloading ${build.url}`, ...fetched(host, build, program) },
      {
        name: 'switch',
        title: 'Restarting with the new version',
        effects,
        apply: gives(started, async () => {
          await apply()
          return true
        }),
        decided: async () => find(started) === true,
      },
    ]
  },
  result: ({ params: { sha256 }, host }) => outcome(host, sha256),
  async *resume({ sha256 }, { host }) {
    yield 'The agent was restarted; waiting for the new version to answer'
    return outcome(host, sha256)
  },
})

async function outcome(host: Host, sha256: string): Promise<{ version: string }> {
  for (const end = host.clock.elapsed() + TIMEOUT_MS; host.clock.elapsed() < end; ) {
    const verdict = await findVerdict(host, sha256)
    if (verdict === 'answers') return { version: host.settings.version }
    if (verdict === 'back')
      throw new Error('The new version did not answer; the previous one was restored')
    await host.clock.sleep(200)
  }
  throw new Error(
    'It is unknown whether the new version answers: see journalctl -u hosting-upgrade',
  )
}
