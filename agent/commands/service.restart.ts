import { notFound } from '#shared/errors.ts'
import type { Host } from '../host/ports.ts'
import { restartMariadb } from '../os/mariadb.ts'
import * as nginx from '../os/nginx.ts'
import * as fpm from '../os/php-fpm.ts'
import { servicesOf } from '../os/services/index.ts'
import { MARIADB, NGINX } from '../os/services/known.ts'
import type { Command, Progress } from './command.ts'

export const serviceRestart: Command<'service.restart'> = {
  lock: ({ service }) => `service ${service}`,
  async *run({ service }, { host }) {
    if (service === 'nginx') yield* restartNginx(host)
    else if (service === 'mariadb') yield* restartDatabase(host)
    else yield* restartPools(host, service.slice('php-fpm:'.length))
    return { service }
  },
}

/** Tested first: with a broken file nginx would stop and not come back. */
async function* restartNginx(host: Host): Progress<void> {
  if (!(await host.files.stat(NGINX.program))) throw notFound('Service nginx')
  await nginx.test(host)
  yield 'Restarting nginx'
  await servicesOf(host).restart(NGINX)
}

async function* restartDatabase(host: Host): Progress<void> {
  if (!(await host.files.stat(MARIADB.program))) throw notFound('Service mariadb')
  yield 'Restarting MariaDB'
  await restartMariadb(host)
}

async function* restartPools(host: Host, user: string): Progress<void> {
  const pools = await fpm.listPools(host, user)
  if (pools.length === 0) throw notFound(`Service php-fpm:${user}`)
  for (const pool of pools) {
    yield `Restarting PHP ${pool.php} of ${user}`
    await fpm.restart(host, pool)
  }
}
