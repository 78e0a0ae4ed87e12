import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onUnits } from '#agent/kernel/services/index.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { ISOLATION_OUTCOMES } from '#shared/isolation/isolation.ts'
import { JOB_ANSWER } from './entry-scripts.ts'
import { readAsSite, requestScript, type Scene } from './scene.ts'

const POLL_MS = 250
/** The maximum wait for cron(8), which reads its tables once a minute. */
const MAX_WAIT_MS = 150_000

export const Verdicts = z.record(
  z.string(),
  z.object({ outcome: z.enum(ISOLATION_OUTCOMES), detail: z.string().max(1000) }),
)
const JobAnswer = z.object({ verdicts: Verdicts, cgroup: z.string() })

/** Reads the result of the job. Throws if it did not run. */
export async function readJob(host: Host, attacker: Site): Promise<z.infer<typeof JobAnswer>> {
  const text = await readAsSite(host, attacker, JOB_ANSWER)
  if (text === '') throw new Error('no job of the site has run')
  return JobAnswer.parse(JSON.parse(text))
}

/**
 * Schedules the attacks in WordPress and waits for the regular run of the site's jobs: by its timer
 * under systemd, otherwise by cron. Throws if they have not run after some minutes.
 */
export async function runJob(scene: Pick<Scene, 'host' | 'attacker' | 'key'>): Promise<void> {
  const { host, attacker } = scene
  await requestScript(scene, attacker, 'schedule')
  const unit = await unitOf(host, attacker.user)
  if (unit !== undefined) await host.shell.try(['systemctl', 'start', '--', unit])
  else await runInNextMinute(host, attacker.user)
  const end = host.clock.elapsed() + MAX_WAIT_MS
  while ((await readAsSite(host, attacker, JOB_ANSWER)) === '') {
    if (host.clock.elapsed() > end) throw new Error('no job of the site has run')
    await host.clock.sleep(POLL_MS)
  }
}

/** Returns the service that a timer of this user starts. */
const unitOf = onUnits(async (host, user: string): Promise<string | undefined> => {
  const list = ['list-units', '--all', '--type=timer', '--plain', '--no-legend', '--full']
  const { stdout } = await host.shell.run(['systemctl', ...list])
  const timers = stdout.split('\n').map((line) => line.trim().split(' ')[0] ?? '')
  const timer = timers.find((name) => name.replaceAll('\\x2d', '-').includes(user))
  if (timer === undefined) return undefined
  const show = ['systemctl', 'show', '--property=Unit', '--value', '--', timer]
  const { stdout: unit } = await host.shell.run(show)
  return unit.trim() || undefined
}, undefined)

/** Makes cron run the jobs of this site in the next minute instead of the next five. */
async function runInNextMinute(host: Host, user: string): Promise<void> {
  const path = `/etc/cron.d/hosting-${user}`
  const text = await host.files.read(path)
  if (text === undefined) return
  await host.files.write(path, text.replace(/^\d+-59\/\d+ \* \* \* \* /m, '* * * * * '))
}
