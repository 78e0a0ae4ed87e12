import { ownNetworks } from '#agent/features/web/cdn-networks.ts'
import { refuseOtherUser } from '#agent/features/web/provision.ts'
import { DatabaseUnavailable } from '#agent/kernel/host/database-unavailable.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MARIADB } from '#agent/kernel/services/known.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import type { Condition } from '#shared/servers/agent.ts'
import { portHolders } from './port-holders.ts'

/** The obstacles to sites of this agent on a server. Changes nothing. */
export async function listConditions(host: Host): Promise<Condition[]> {
  const found = await Promise.all([ports(host), database(host), nginx(host), cdn(host)])
  return found.flat()
}

async function ports(host: Host): Promise<Condition[]> {
  return (await portHolders(host)).map(({ port, program }) => ({
    code: port === 80 ? 'port_http_taken' : 'port_https_taken',
    message: `${program || 'A program other than nginx'} listens on port ${port}. Its sites keep working; sites of Hosting Control need nginx there`,
  }))
}

async function database(host: Host): Promise<Condition[]> {
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

/** A site that trusts a CDN cannot be changed with a wrong file. */
async function cdn(host: Host): Promise<Condition[]> {
  try {
    await ownNetworks(host, 'Cloudflare')
    return []
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const message = `${error.message}. Until it is corrected, no site that trusts a CDN can be changed`
    return [{ code: 'cdn_networks', message }]
  }
}

async function nginx(host: Host): Promise<Condition[]> {
  try {
    await refuseOtherUser(host)
    return []
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return [{ code: 'nginx_user', message: error.message }]
  }
}
