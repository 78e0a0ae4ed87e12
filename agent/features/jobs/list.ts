import { serviceUnitOf } from '#agent/features/jobs/cron/files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { formOf } from '#agent/kernel/services/index.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { type AgentJobRun, MAX_JOB_OUTPUT, plainOutput } from '#shared/jobs/job-runs.ts'
import { runsOfUnit } from './journal.ts'
import { outputsOf } from './output.ts'
import { runsRecorded } from './recorded.ts'

/**
 * The newest runs of the jobs of a site, with the end of each output: text of the site, without
 * control characters. Throws not_found for a site that this agent did not create.
 */
export async function listJobRuns(host: Host, domain: string): Promise<AgentJobRun[]> {
  const { user } = await getSite(host, domain)
  return formOf(host, { systemd: fromJournal, direct: fromRecord })(host, user)
}

async function fromJournal(host: Host, user: string): Promise<AgentJobRun[]> {
  const runs = await runsOfUnit(host, serviceUnitOf(user))
  const outputs = await outputsOf(host, user, runs, MAX_JOB_OUTPUT)
  return runs.map(({ id, ...run }) => ({ ...run, output: (outputs.get(id) ?? '').trim() }))
}

async function fromRecord(host: Host, user: string): Promise<AgentJobRun[]> {
  const runs = await runsRecorded(host, user)
  return runs.map((run) => ({ ...run, output: plainOutput(run.output).trim() }))
}
