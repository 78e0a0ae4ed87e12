import type { z } from 'zod'
import { jobServiceOf } from '#agent/features/jobs/cron/own-files.ts'
import { applyOwn } from '#agent/features/jobs/cron/own-jobs.ts'
import { CRON_ANSWER, CRON_SCRIPT } from './entries.ts'
import { Verdicts } from './job.ts'
import { type Scene, textOf } from './scene.ts'

const NAME = 'isolation'

/** Runs the attacks in a cron job of the attacker, as its owner would. Throws if it did not run. */
export async function runCronJob({
  host,
  attacker,
}: Pick<Scene, 'host' | 'attacker'>): Promise<z.infer<typeof Verdicts>> {
  const job = {
    ...{ name: NAME, schedule: '@yearly', command: `wp eval-file ${CRON_SCRIPT}` },
    ...{ max_minutes: 5, enabled: false },
  }
  await applyOwn(host, { ...attacker, jobs: [job] }).apply()
  const unit = jobServiceOf(attacker.user, NAME)
  await host.shell.try(['systemctl', 'start', '--', unit])
  const text = await textOf(host, attacker, CRON_ANSWER)
  if (text === '') throw new Error('no cron job of the site has run')
  return Verdicts.parse(JSON.parse(text))
}
