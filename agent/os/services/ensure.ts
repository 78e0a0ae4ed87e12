import type { Host } from '../../host/ports.ts'
import { fpmService } from '../php-fpm-files.ts'
import { listSites } from '../sites.ts'
import { ensureRunning } from './index.ts'
import { CRON, MARIADB, NGINX } from './known.ts'
import type { Service } from './service.ts'

/**
 * After a start of the machine: starts what should run and does not, where no systemd does that.
 * Returns one line for each program that did not start; the others run.
 */
export async function ensureServices(host: Host): Promise<string[]> {
  if (host.init === 'systemd') return []
  const sites = await listSites(host)
  // A machine without sites of ours is not ours to start anything on.
  if (sites.length === 0) return []
  const problems: string[] = []
  for (const service of [MARIADB, CRON, ...sites.map(fpmService), NGINX]) {
    const problem = await startInstalled(host, service)
    if (problem !== undefined) problems.push(problem)
  }
  return problems
}

async function startInstalled(host: Host, service: Service): Promise<string | undefined> {
  if (!(await host.files.stat(service.program))) return undefined
  try {
    await ensureRunning(host, service)
    return undefined
  } catch (error) {
    return `${service.unit}: ${error instanceof Error ? error.message : String(error)}`
  }
}
