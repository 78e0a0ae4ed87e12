import type { Host } from '#agent/host/ports.ts'
import { getSite } from '#agent/os/site/sites.ts'
import { type AgentJobRun, plainOutput } from '#shared/job-runs.ts'
import { runsInJournal } from './journal.ts'
import { runsRecorded } from './recorded.ts'

/**
 * The newest runs of the jobs of a site, with the end of each output: text of the site, without
 * control characters. Throws not_found for a site that this agent did not create.
 */
export async function listJobRuns(host: Host, domain: string): Promise<AgentJobRun[]> {
  const { user } = await getSite(host, domain)
  const list = host.init === 'systemd' ? runsInJournal : runsRecorded
  const runs = await list(host, user)
  return runs.map((run) => ({ ...run, output: plainOutput(run.output).trim() }))
}
