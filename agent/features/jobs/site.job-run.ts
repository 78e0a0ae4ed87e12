import { jobServiceOf } from '#agent/features/jobs/cron/own-files.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { findSite, getSite } from '#agent/kernel/site/sites.ts'
import { command, type Progress, value } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import type { LastRun, SiteJob } from '#shared/jobs/site-jobs.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'
import { ownStopOf } from './own.ts'
import { refuseRunning, startJob } from './start.ts'

type Params = ParamsOf<'site.job-run'>

const ran = value<LastRun>('The job has not run')

/** It follows the run that it starts: its cancellation ends it. */
export const siteJobRun = command('site.job-run', {
  lock: onSite.lock,
  check: (params, host) => runnable(host, params),
  async find({ domain, name }, host) {
    const site = await findSite(host, domain)
    const job = site?.jobs?.find((one) => one.name === name)
    return site && job && { user: site.user, job }
  },
  steps({ host, user, job, gives }) {
    const unit = jobServiceOf(user, job.name)
    const steady = host.steady ?? host
    return [
      {
        name: 'run',
        title: `Running the job ${job.name}`,
        effects: [run('job', job.name)],
        apply: gives(ran, () => runJob(host, user, job)),
        async undo() {
          await steady.shell.try(['systemctl', 'stop', unit])
        },
      },
    ]
  },
  result: ({ params: { domain }, job, get }) => ({
    domain,
    name: job.name,
    seconds: get(ran).seconds ?? 0,
  }),
})

const REASONS = {
  suspended: 'is suspended: resume it to run its jobs',
  staging: 'is a staging site: its jobs are off',
  moving: 'moves to another server: its jobs run there',
  without_systemd: 'is on a server that systemd did not start: its jobs are off',
}

async function runnable(host: Host, { domain, name }: Params) {
  const site = await getSite(host, domain)
  const job = site.jobs?.find((one) => one.name === name)
  if (!job) throw notFound(`Job ${name} of ${domain}`)
  const stop = ownStopOf(host, site)
  if (stop !== null) throw conflict(`${domain} ${REASONS[stop]}`)
  await refuseRunning(host, jobServiceOf(site.user, name))
  return { user: site.user, job }
}

async function* runJob(host: Host, user: string, job: SiteJob): Progress<LastRun> {
  const unit = jobServiceOf(user, job.name)
  const last = yield* startJob(host, { user, unit }, job.max_minutes)
  if (last.result === 'success') return last
  throw new Error(`The job ${job.name} ${reasonOf(last, job)}`)
}

function reasonOf({ result, exit_status }: LastRun, { max_minutes }: SiteJob): string {
  if (result === 'timed_out') return `was ended at its time limit of ${max_minutes} minutes`
  if (result === 'failed') return `failed with exit status ${exit_status ?? 'unknown'}`
  return 'was ended by a signal'
}
