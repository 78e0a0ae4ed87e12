import type { Host } from '#agent/host/ports.ts'
import { MAIL_UNIT, syncService } from '#agent/os/mail/service.ts'
import { fpmService } from '#agent/os/php/fpm-files.ts'
import { servingPool } from '#agent/os/php/fpm-pools.ts'
import { ensureRunning } from '#agent/os/services/index.ts'
import { CRON, MARIADB, NGINX } from '#agent/os/services/known.ts'
import type { Service } from '#agent/os/services/service.ts'
import { listSites, type Site } from '#agent/os/site/sites.ts'

/**
 * After boot: starts stopped services on machines without systemd, and the mail queue, whose unit
 * is removed with an uninstalled agent. Returns one line for each failed start; the others run.
 */
export async function ensureServices(host: Host): Promise<string[]> {
  const sites = await listSites(host)
  // A machine without managed sites: the agent starts nothing.
  if (sites.length === 0) return []
  const programs = host.init === 'systemd' ? [] : await startPrograms(host, sites)
  return [...programs, ...(await startMail(host))]
}

async function startMail(host: Host): Promise<string[]> {
  return syncService(host).then(
    () => [],
    (error: Error) => [`${MAIL_UNIT}: ${error.message}`],
  )
}

async function startPrograms(host: Host, sites: readonly Site[]): Promise<string[]> {
  const problems: string[] = []
  const pools = await Promise.all(sites.map((site) => servingPool(host, site)))
  for (const service of [MARIADB, CRON, ...pools.map(fpmService), NGINX]) {
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
