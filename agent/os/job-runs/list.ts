import type { Host } from '#agent/host/ports.ts'
import { getSite } from '#agent/os/site/sites.ts'
import { type AgentJobRun, plainOutput } from '#shared/job-runs.ts'
import { runsInJournal } from './journal.ts'
import { runsRecorded } from './recorded.ts'

/**
 * The newest runs of the jobs of a site, and the end of what each printed: text of the site, without
 * controls. Throws not_found for a site that this agent did not make, whose jobs it does not run.
 */
export async function listJobRuns(host: Host, domain: string): Promise<AgentJobRun[]> {
  const { user } = await getSite(host, domain)
  const list = host.init === 'systemd' ? runsInJournal : runsRecorded
  const runs = await list(host, user)
  return runs.map((run) => ({ ...run, output: plainOutput(run.output).trim() }))
}
