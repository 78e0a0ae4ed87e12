import { fpmService } from '#agent/features/php/fpm-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { installedPhp } from '#agent/kernel/packages/packages.ts'
import { DEBIAN_SERVICES } from '#agent/kernel/services/debian-services.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import type { Service } from '#agent/kernel/services/service.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import type { Service as ServiceStatus } from '#shared/servers/agent.ts'

const FPM = '/usr/sbin/php-fpm'

/**
 * Returns the statuses of nginx, mariadb, cron, `php<version>` for each installed PHP (running if
 * one of its masters is) and `php-fpm:<user>` for each site of this agent; a sleeping one counts as
 * running. `missing` means that the program is not installed.
 */
export async function serviceStatuses(host: Host): Promise<ServiceStatus[]> {
  const pools = await listSites(host)
  const versions = await installedPhp(host)
  const named = new Map<string, Service>([
    ...Object.entries(DEBIAN_SERVICES),
    ...versions.map((php) => [`php${php}`, debianFpm(php)] as const),
    ...pools.map((pool) => [`php-fpm:${pool.user}`, fpmService(pool)] as const),
  ])
  const statuses = await servicesOf(host).statusesOf([...named.values()])
  const found = await Promise.all(
    [...named].map(async ([name, { program }], at) => {
      const isInstalled = (await host.files.stat(program)) !== undefined
      return { name, program, status: (isInstalled && statuses[at]) || ('missing' as const) }
    }),
  )
  const serving = new Set(
    found.flatMap(({ name, program, status }) =>
      name.startsWith('php-fpm:') && status === 'running'
        ? [`php${program.slice(FPM.length)}`]
        : [],
    ),
  )
  return found.map(({ name, status }) => ({ name, status: serving.has(name) ? 'running' : status }))
}

/** Returns the master of the distribution, which this agent does not use itself. */
export function debianFpm(php: string): Service {
  return {
    unit: `php${php}-fpm.service`,
    program: `${FPM}${php}`,
    args: [],
    pid_file: `/run/php/php${php}-fpm.pid`,
    log: '',
    stop_signal: 'QUIT',
  }
}
