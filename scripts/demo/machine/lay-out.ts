import { sharedFolder } from '#agent/host/simulated/nodes.ts'
import { SETTINGS } from '#agent/host/simulated/settings.ts'
import { NEWEST_CORE } from '#scripts/demo/wordpress/catalogue.ts'
import { coreFiles } from '#scripts/demo/wordpress/kit.ts'
import { CORE_SHA1 } from './host.ts'
import { layOutAccess } from './lay-out-access.ts'
import { layOutForeign, layOutUnnamed } from './lay-out-foreign.ts'
import { layOutMail } from './lay-out-mail.ts'
import { layOutMaintenance } from './lay-out-maintenance.ts'
import { type Certificates, layOutSite } from './lay-out-site.ts'
import { layOutUsage } from './lay-out-usage.ts'
import type { Machine } from './machine.ts'
import { layOutSystem } from './system.ts'

/** The result of the creation of the newest site. */
const MAX_CONNECTIONS = 4000

/** A Debian with all its packages; the agent provisions it. */
export function layOutServer(machine: Machine): void {
  layOutSystem(machine)
  layOutCache(machine)
}

export function layOutSites(machine: Machine, certificates: Certificates): void {
  for (const site of machine.plan.sites) {
    if (site.place === 'missing' || site.place === 'failed') continue
    if (site.managed) layOutSite(machine, site, certificates)
    else layOutForeign(machine, site, certificates)
  }
  layOutUnnamed(machine)
  layOutMail(machine)
  layOutUsage(machine)
  layOutMaintenance(machine)
  layOutAccess(machine)
  machine.mariadb.admin('set_connections', [MAX_CONNECTIONS])
}

/** wp-cli and the newest WordPress, as an earlier operation has left them. */
function layOutCache({ disk, time }: Machine): void {
  disk.putText('/usr/local/lib/hosting/wp-cli.phar', '')
  disk.putText('/usr/local/lib/hosting/wp-cli.phar.sha512', SETTINGS.wp_cli_sha512)
  const cache = `${SETTINGS.state_dir}/cache/wordpress`
  disk.put(`${cache}/${NEWEST_CORE}`, sharedFolder(coreFiles(NEWEST_CORE)))
  const kept = { version: NEWEST_CORE, digest: CORE_SHA1, at: time.now() }
  disk.putText(`${cache}/latest.json`, JSON.stringify(kept))
}
