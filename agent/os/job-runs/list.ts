import type { Host } from '#agent/host/ports.ts'
import { serviceUnitOf } from '#agent/os/cron/files.ts'
import { getSite } from '#agent/os/site/sites.ts'
import { type AgentJobRun, MAX_JOB_OUTPUT, plainOutput } from '#shared/job-runs.ts'
import { runsOfUnit } from './journal.ts'
import { outputsOf } from './output.ts'
import { runsRecorded } from './recorded.ts'

/**
 * The newest runs of the jobs of a site, with the end of each output: text of the site, without
 * control characters. Throws not_found for a site that this agent did not create.
 */
export async function listJobRuns(host: Host, domain: string): Promise<AgentJobRun[]> {
  const { user } = await getSite(host, domain)
  if (host.init !== 'systemd') {
    const recorded = await runsRecorded(host, user)
    return recorded.map((run) => ({ ...run, output: plainOutput(run.output).trim() }))
  }
  const runs = await runsOfUnit(host, serviceUnitOf(user))
  const outputs = await outputsOf(host, user, runs, MAX_JOB_OUTPUT)
  return runs.map(({ id, ...run }) => ({ ...run, output: (outputs.get(id) ?? '').trim() }))
}
