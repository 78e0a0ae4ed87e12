import { ownNetworks } from '#agent/features/web/cdn-networks.ts'
import { refuseOtherUser } from '#agent/features/web/provision.ts'
import { DatabaseUnavailable } from '#agent/kernel/host/database-unavailable.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MARIADB } from '#agent/kernel/services/debian-services.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import type { Condition } from '#shared/servers/agent.ts'
import { portHolders } from './port-holders.ts'

/** Lists the obstacles to sites of this agent on a server. Changes nothing. */
export async function listConditions(host: Host): Promise<Condition[]> {
  const found = await Promise.all([
    portConditions(host),
    databaseConditions(host),
    nginxConditions(host),
    cdnConditions(host),
  ])
  return found.flat()
}

async function portConditions(host: Host): Promise<Condition[]> {
  return (await portHolders(host)).map(({ port, program }) => ({
    code: port === 80 ? 'port_http_taken' : 'port_https_taken',
    message: `${program || 'A program other than nginx'} listens on port ${port}. Its sites keep working; sites of Hosting Control need nginx there`,
  }))
}

async function databaseConditions(host: Host): Promise<Condition[]> {
  if (!(await host.files.stat(MARIADB.program))) return []
  if (!(await isRunning(host, MARIADB))) {
    return [{ code: 'database_stopped', message: 'MariaDB is installed but not running' }]
  }
  try {
    await host.database.admin('answers')
    return []
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error
    return [{ code: `database_${error.problem}`, message: error.message }]
  }
}

/** Reports a wrong file of networks: no site that trusts a CDN can be changed with it. */
async function cdnConditions(host: Host): Promise<Condition[]> {
  try {
    await ownNetworks(host, 'Cloudflare')
    return []
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const message = `${error.message}. Until it is corrected, no site that trusts a CDN can be changed`
    return [{ code: 'cdn_networks', message }]
  }
}

async function nginxConditions(host: Host): Promise<Condition[]> {
  try {
    await refuseOtherUser(host)
    return []
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return [{ code: 'nginx_user', message: error.message }]
  }
}
