import { gateOf, hasShell } from '#agent/features/access/gate.ts'
import { fingerprintOf, grantsOf } from '#agent/features/access/keys.ts'
import { reportedClients } from '#agent/features/access/list.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { SiteAccessReport } from '#shared/access/site.access.ts'
import { type Effective, effectiveOf } from './effective.ts'

/** Where to connect, the keys of the server, and who may log in. */
export async function reportOf(host: Host, site: Site): Promise<SiteAccessReport> {
  const { domain, user, access = [] } = site
  const settings = await effectiveOf(host, user).catch((): Effective => new Map())
  const ports = (settings.get('port') ?? []).map(Number).filter((port) => port > 0)
  const host_keys = await hostKeys(host, settings)
  const shell_user = hasShell(site) ? gateOf(user) : null
  const clients = await reportedClients(host, site)
  return { domain, user, shell_user, ports, host_keys, grants: grantsOf(access), clients }
}

async function hostKeys({ files }: Host, settings: Effective) {
  const texts = await Promise.all(
    (settings.get('hostkey') ?? []).map((path) => files.read(`${path}.pub`)),
  )
  return texts.flatMap((text = '') => {
    const [type = '', blob = ''] = text.split(' ')
    return blob === '' ? [] : [{ type: type.slice(0, 64), fingerprint: fingerprintOf(blob) }]
  })
}
