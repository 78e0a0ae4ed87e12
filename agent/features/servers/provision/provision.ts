import { recorderSteps } from '#agent/features/jobs/cron/recorder.ts'
import { allSitesSteps } from '#agent/features/servers/all-sites.ts'
import { refuseTakenPorts } from '#agent/features/servers/port-holders.ts'
import { debianFpm } from '#agent/features/servers/service-status.ts'
import { BASE_PATH, baseOf } from '#agent/features/web/base-file.ts'
import { CONNECTION_PATHS, connectionRateSteps } from '#agent/features/web/connection-rate.ts'
import { dumpConfiguration } from '#agent/features/web/nginx-servers.ts'
import {
  DEFAULT_LINK,
  DEFAULT_PATH,
  hasForeignServers,
  nginxStep,
  refuseOtherUser,
} from '#agent/features/web/provision.ts'
import { wpCliSteps } from '#agent/features/wordpress/wp-cli.ts'
import { ensureMariadb } from '#agent/kernel/database/mariadb.ts'
import { databaseNetworkSteps, NETWORK_FILE } from '#agent/kernel/database/network.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  hasUnknownPhp,
  missingPackages,
  packagesInstalled,
  refuseUnknownPackages,
  shippedPhp,
  simulateApt,
} from '#agent/kernel/packages/packages.ts'
import { phpSourceSteps } from '#agent/kernel/packages/php-source.ts'
import { CRON, MARIADB, NGINX, SERVICES_LOG } from '#agent/kernel/services/debian-services.ts'
import { ensureRunning, formOf, onUnits } from '#agent/kernel/services/index.ts'
import { restartingSteps } from '#agent/kernel/services/restart-drop-ins.ts'
import { isRunning, type Service } from '#agent/kernel/services/service.ts'
import { ALL_SITES, TMPFILES } from '#agent/kernel/site/all-sites.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { sharedEtcSteps } from '#agent/kernel/site-etc/shared.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { Effect } from '#shared/kernel/plan.ts'

/** The files that apply to all sites. */
export const BASE_PATHS = [
  BASE_PATH,
  DEFAULT_LINK,
  DEFAULT_PATH,
  ALL_SITES,
  TMPFILES,
  NETWORK_FILE,
  ...CONNECTION_PATHS,
]

interface ProvisionOptions {
  accept?: readonly string[] | undefined
  php_source?: boolean | undefined
}

/**
 * Returns the steps that provision this server: packages, base configuration, running services.
 * None if all are done, which is checked without starting a program. No PHP versions means that of
 * the distribution. `field` is the parameter for an invalid version. `accept` has the accepted
 * changes of foreign objects: see Step.imposes. With `php_source` versions may come from the
 * repository of the settings, which is added for them. Throws obstacles: invalid on `field`,
 * conflict for a foreign port 80 or 443, and for an nginx with another user.
 */
export async function provisionSteps(
  host: Host,
  php: readonly string[],
  field: string,
  { accept = [], php_source = false }: ProvisionOptions = {},
): Promise<Step[]> {
  const shipped = await shippedPhp(host)
  const versions = php.length > 0 ? php : [shipped]
  const missing = await missingPackages(host, versions)
  const source = php_source ? await missingSource(host, missing) : []
  if (missing.length > 0 && source.length === 0) await refuseUnknownPackages(host, missing, field)
  const stopped = await stoppedServices(host)
  const configured = (await host.files.read(BASE_PATH)) === (await baseOf(host))
  if (stopped.includes(NGINX) || !configured) await refuseTakenPorts(host)
  await refuseOtherUser(host)
  const installed = versions.filter((version) => missing.includes(`php${version}-fpm`))
  const packages: Step = {
    name: 'packages',
    title: `Installing ${missing.join(', ')}`,
    ...packagesInstalled(host, missing, field, { removes: accept.includes('packages_removed') }),
    imposes: () => packageChanges(host, missing),
  }
  return [
    ...source,
    ...(await databasePortSteps(host)),
    ...(missing.length > 0 ? [packages] : []),
    ...(configured ? [] : [nginxStep(host)]),
    ...(await connectionRateSteps(host)),
    ...(await sharedPoolSteps(host, installed)),
    ...(await allSitesSteps(host)),
    ...(await sharedEtcSteps(host)),
    ...(await restartingSteps(host)),
    ...(stopped.length > 0 ? [servicesStep(host, stopped, missing)] : []),
    ...(await wpCliSteps(host)),
    ...(await recorderSteps(host)),
  ]
}

/** Configures the port of MariaDB. A foreign site may connect at any time; a restart ends that. */
async function databasePortSteps(host: Host): Promise<Step[]> {
  const steps = await databaseNetworkSteps(host)
  return steps.length > 0 && (await hasForeignServers(host)) ? [] : steps
}

/** Adds the repository only when it is needed: the server trusts each one. */
async function missingSource(host: Host, missing: readonly string[]): Promise<Step[]> {
  return (await hasUnknownPhp(host, missing)) ? phpSourceSteps(host) : []
}

/**
 * Disables the master with a pool www that Debian starts for every PHP version; here every site has
 * its own. Only for versions that this operation installs: earlier ones may serve foreign sites.
 */
const sharedPoolSteps = onUnits(async (host, versions: readonly string[]): Promise<Step[]> => {
  const retired: string[] = []
  for (const php of versions) if (await isUnused(host, php)) retired.push(php)
  if (retired.length === 0) return []
  return [
    {
      name: 'shared pools',
      title: `Stopping the shared pool of PHP ${retired.join(', ')}`,
      effects: retired.map((php) => effects.remove('service', `php${php}-fpm.service`)),
      async apply() {
        for (const php of retired) {
          if (await isUnused(host, php))
            await host.shell.run(['systemctl', 'disable', '--now', `php${php}-fpm.service`], {
              // The scripts for init(8), which no server with systemd reads, need further programs.
              env: { SYSTEMCTL_SKIP_SYSV: '1' },
            })
        }
      },
    },
  ]
}, [])

function servicesStep(host: Host, stopped: readonly Service[], missing: readonly string[]): Step {
  const units = stopped.map(({ unit }) => unit)
  return {
    name: 'services',
    title: `Starting ${units.map((unit) => unit.replace('.service', '')).join(', ')}`,
    effects: async () => [
      ...(await effects.creationsOf(
        host,
        'file',
        ...formOf(host, { systemd: [], direct: [SERVICES_LOG] }),
      )),
      ...units.map((unit) => effects.create('service', unit)),
    ],
    imposes: () => {
      const installed = stopped.filter((service) => !missing.includes(PACKAGES.get(service) ?? ''))
      return servicesToStart(host, installed)
    },
    async apply() {
      await ensureMariadb(host)
      if (!(await isRunning(host, NGINX))) await refuseTakenPorts(host)
      for (const service of [NGINX, CRON]) await ensureRunning(host, service)
    },
  }
}

const PACKAGES = new Map([
  [MARIADB, 'mariadb-server'],
  [NGINX, 'nginx'],
  [CRON, 'cron'],
])

/** Returns the effects of starting installed but stopped services, and so their sites and jobs. */
const servicesToStart = onUnits(async (host, stopped: readonly Service[]): Promise<Effect[]> => {
  if ((await listSites(host)).length > 0) return []
  return stopped.map(({ unit }) => ({
    ...effects.create('service', unit),
    asks: 'service_started',
  }))
}, [])

async function stoppedServices(host: Host): Promise<Service[]> {
  const services = [MARIADB, NGINX, CRON]
  const running = await Promise.all(services.map((service) => isRunning(host, service)))
  return services.filter((_, at) => !running[at])
}

/** Returns whether there is no pool except Debian's own, and no virtual host that uses it. */
async function isUnused(host: Host, php: string): Promise<boolean> {
  const pools = await host.files.list(`/etc/php/${php}/fpm/pool.d`)
  if (pools.some(({ name }) => name !== 'www.conf')) return false
  const config = (await host.files.stat(NGINX.program)) ? await dumpConfiguration(host) : ''
  return !/^[^#\n]*\/php[\d.]*-fpm\.sock/m.test(config)
}

/** Matches packages that other sites may use: a newer version restarts them. */
const SERVING_PACKAGES = /^(nginx|apache2|php|libapache2|mariadb|mysql|percona)/

/** Returns the effects on installed packages, as reported by apt. */
async function packageChanges(host: Host, packages: readonly string[]): Promise<Effect[]> {
  const found = (await simulateApt(host, packages)) ?? []
  const removed = found.filter(({ action }) => action === 'remove')
  const changed = found.filter(
    ({ action, name }) => action === 'change' && SERVING_PACKAGES.test(name),
  )
  return [
    ...removed.map((effect) => ({ ...effect, asks: 'packages_removed' })),
    ...changed.map((effect) => ({ ...effect, asks: 'packages_changed' })),
    ...(await restartedPools(host, packages)),
  ]
}

/** Returns restarts of PHP-FPMs outside of this agent, for new extensions. */
async function restartedPools(host: Host, packages: readonly string[]): Promise<Effect[]> {
  const versions = new Set(
    packages.flatMap((name) => /^php(\d\.\d)-(?!fpm$)/.exec(name)?.[1] ?? []),
  )
  const running: Effect[] = []
  for (const php of versions) {
    const service = debianFpm(php)
    if (packages.includes(`php${php}-fpm`) || !(await isRunning(host, service))) continue
    running.push({ ...effects.run('restart', service.unit), asks: 'php_restarted' })
  }
  return running
}
