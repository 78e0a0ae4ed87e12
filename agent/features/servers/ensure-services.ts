import { MAIL_UNIT, syncMailService } from '#agent/features/mail/service.ts'
import { fpmService } from '#agent/features/php/fpm-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { CRON, MARIADB, NGINX } from '#agent/kernel/services/debian-services.ts'
import { ensureRunning, servicesOf } from '#agent/kernel/services/index.ts'
import type { Service } from '#agent/kernel/services/service.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'

/**
 * Starts, after boot, stopped services on machines without systemd, and the mail queue, whose unit
 * is removed with an uninstalled agent. Returns one line for each failed start; the others run.
 */
export async function ensureServices(host: Host): Promise<string[]> {
  const sites = await listSites(host)
  // The agent starts nothing on a machine without managed sites.
  if (sites.length === 0) return []
  const problems: string[] = []
  for (const service of servicesOf(host).leftAtBoot(programsOf(sites))) {
    if (!(await host.files.stat(service.program))) continue
    problems.push(...(await problemOf(service.unit, ensureRunning(host, service))))
  }
  return [...problems, ...(await problemOf(MAIL_UNIT, syncMailService(host)))]
}

const programsOf = (sites: readonly Site[]): Service[] => [
  MARIADB,
  CRON,
  ...sites.map(fpmService),
  NGINX,
]

async function problemOf(unit: string, started: Promise<void>): Promise<string[]> {
  return started.then(
    () => [],
    (error: Error) => [`${unit}: ${error.message}`],
  )
}
