import * as lab from '#tests/support/lab/index.ts'
import { get } from '#tests/support/system/requests.ts'

const AGENT = 'hosting-agent.service'
const DEAD = `/run/systemd/system/${AGENT}.d/dead.conf`

/** Unplugs a host until a condition holds. Resolves when it is plugged in again. */
export async function unplugged(
  host: lab.Host,
  until: () => boolean | Promise<boolean>,
): Promise<void> {
  await host.partition(true)
  try {
    await lab.poll(async () => until(), { every_ms: 200, timeout_ms: 90_000 })
  } finally {
    await host.partition(false)
  }
}

export function after(ms: number): () => boolean {
  const end = Date.now() + ms
  return () => Date.now() > end
}

/**
 * Kills the agent of a frozen site, which systemd then does not start again, and lets the timer of the
 * freeze end earlier, and `served` look at the result. The agent is there again at the end.
 */
export async function thawedBySystemd(
  host: lab.Host,
  { user, page, served }: { user: string; page: string; served?: () => Promise<void> },
): Promise<void> {
  const timer = `hosting-thaw@${user}.timer`
  const soon = `/run/systemd/system/${timer}.d/soon.conf`
  const statusOf = async () => (await get(host, page)).status
  await host.put(DEAD, '[Service]\nRestart=no\n')
  await host.must(['systemctl', 'daemon-reload'])
  await host.must(['systemctl', 'kill', '--signal=KILL', AGENT])
  const died = async () => (await host.exec(['systemctl', 'is-active', AGENT])).code !== 0
  await lab.poll(died)
  if ((await statusOf()) !== 503) throw new Error('the site is not frozen')
  await host.must(['systemctl', 'is-active', timer])
  await host.put(soon, '[Timer]\nOnActiveSec=\nOnActiveSec=3\n')
  await host.must(['systemctl', 'daemon-reload'])
  await host.must(['systemctl', 'restart', timer])
  const isServed = await lab.polled(async () => (await statusOf()) === 200, { timeout_ms: 60_000 })
  await served?.()
  if (!(await died())) throw new Error('the agent was started')
  await host.must(['rm', DEAD, soon])
  await host.must(['systemctl', 'daemon-reload'])
  await host.must(['systemctl', 'start', AGENT])
  if (!isServed) throw new Error('systemd did not end the freeze')
}
