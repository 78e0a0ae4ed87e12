import { listVhosts, type Vhost } from '#agent/features/existing/vhosts.ts'
import { isLoopback, type Listen } from '#agent/features/existing/web/virtual-host.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Visit } from '#agent/kernel/host/visit-port.ts'
import { listSites } from '#agent/kernel/site/sites.ts'

/** A site that this agent did not create, and how its visitors reach it. */
export interface Target {
  domain: string
  /** Path of the certificate that is configured, empty without TLS. */
  certificate: string
  /** Undefined: its web server is configured to refuse every visitor. */
  visit: Visit | undefined
}

/** Those that can be reached by an address and port of this machine, by domain. */
export async function listTargets(host: Host): Promise<Map<string, Target>> {
  const [vhosts, sites] = await Promise.all([listVhosts(host), listSites(host)])
  const own = new Set(sites.map(({ domain }) => domain))
  const targets = vhosts
    .filter(({ names }) => !names.some((name) => own.has(name)))
    .flatMap(targetOf)
  return new Map(targets.map((target) => [target.domain, target]))
}

function targetOf({ domain, certificate, kind, listens }: Vhost): Target[] {
  const listen = kind === 'closed' ? undefined : bestOf(listens)
  if (!listen && kind !== 'closed') return []
  return [{ domain, certificate, visit: listen && visitOf(domain, listen) }]
}

/** As a browser does: HTTPS where there is any, and the usual ports before others. */
function bestOf(listens: readonly Listen[]): Listen | undefined {
  const rank = ({ address, port, tls, only_ipv6 }: Listen) =>
    [!isLoopback(address), port === (tls ? 443 : 80), tls, only_ipv6 !== true].reduce(
      (sum, score) => sum * 2 + Number(score),
      0,
    )
  const [best] = listens
    .filter(({ port }) => port > 0)
    .toSorted((one, other) => rank(other) - rank(one))
  return best
}

/** The front page as it is: a parameter would fill the caches of the site. */
function visitOf(domain: string, { address, port, tls, only_ipv6 }: Listen): Visit {
  const target = only_ipv6 ? '::1' : address.replace(/^\[|\]$/g, '')
  return {
    ...{ host: domain, path: '/', tls },
    ...(target !== '' && { address: target }),
    ...(port !== (tls ? 443 : 80) && { port }),
  }
}
