import { removeFromCaddy, serveByCaddy } from './caddy.ts'
import { type Certificate, isIssued, issue, selfSigned } from './certificate.ts'
import { checkPublic } from './health.ts'
import type { Machine } from './machine.ts'
import { removeFromNginx, serveByNginx } from './nginx.ts'
import type { Settings } from './options.ts'

/** Makes the running dashboard reachable at its domain, through the chosen proxy. */
export async function publish(machine: Machine, settings: Settings): Promise<void> {
  const { proxy } = settings
  if (proxy !== 'nginx') await removeFromNginx(machine)
  if (proxy !== 'caddy') await removeFromCaddy(machine)
  if (proxy === 'none') return
  const given = await givenCertificate(machine, settings)
  if (proxy === 'caddy') {
    await serveByCaddy(machine, settings, given)
    // It contacts the authority after its start.
    return checkPublic(machine, settings, given ? 20_000 : 120_000)
  }
  await serveByNginx(machine, settings, given ?? (await certified(machine, settings)))
  await checkPublic(machine, settings)
}

async function givenCertificate(
  machine: Machine,
  settings: Settings,
): Promise<Certificate | undefined> {
  const { proxy, tls, certificate, key } = settings
  if (tls === 'files') return { certificate, key }
  // Caddy has an internal authority for that, and cannot read our files.
  return tls === 'self-signed' && proxy === 'nginx' ? selfSigned(machine, settings) : undefined
}

/** nginx does not start with a missing certificate. */
async function certified(machine: Machine, settings: Settings): Promise<Certificate> {
  if (!isIssued(settings)) await serveByNginx(machine, settings, undefined)
  return issue(machine, settings)
}
