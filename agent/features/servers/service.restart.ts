import * as fpm from '#agent/features/php/fpm.ts'
import { fpmService } from '#agent/features/php/fpm-files.ts'
import { listPools } from '#agent/features/php/fpm-pools.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import { restartMariadb } from '#agent/kernel/database/mariadb.ts'
import { change, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MARIADB, NGINX } from '#agent/kernel/services/debian-services.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import { pidFilesOf, type Service } from '#agent/kernel/services/service.ts'
import { command, type Step } from '#agent/kernel/steps/command.ts'
import { notFound } from '#shared/kernel/errors.ts'

export const serviceRestart = command('service.restart', {
  lock: ({ service }) => `service ${service}`,
  async steps({ params: { service }, host }) {
    if (service === 'nginx') return [await nginxStep(host)]
    if (service === 'mariadb') return [await databaseStep(host)]
    return poolSteps(host, service.slice('php-fpm:'.length))
  },
  result: ({ params: { service } }) => ({ service }),
})

/** Tests the configuration before the restart: with an invalid file nginx would not start again. */
async function nginxStep(host: Host): Promise<Step> {
  if (!(await host.files.stat(NGINX.program))) throw notFound('Service nginx')
  await nginx.test(host)
  return {
    name: 'nginx',
    title: 'Restarting nginx',
    effects: restartEffects(host, NGINX),
    apply: () => servicesOf(host).restart(NGINX),
  }
}

async function databaseStep(host: Host): Promise<Step> {
  if (!(await host.files.stat(MARIADB.program))) throw notFound('Service mariadb')
  return {
    name: 'mariadb',
    title: 'Restarting MariaDB',
    effects: restartEffects(host, MARIADB),
    apply: () => restartMariadb(host),
  }
}

async function poolSteps(host: Host, user: string): Promise<Step[]> {
  const pools = await listPools(host, user)
  if (pools.length === 0) throw notFound(`Service php-fpm:${user}`)
  return pools.map((pool) => ({
    name: `php ${pool.php}`,
    title: `Restarting PHP ${pool.php} of ${user}`,
    effects: restartEffects(host, fpmService(pool)),
    apply: () => fpm.restart(host, pool),
  }))
}

const restartEffects = (host: Host, service: Service) => [
  run('restart', service.unit),
  ...pidFilesOf(host, service).map((path) => change('file', path)),
]
