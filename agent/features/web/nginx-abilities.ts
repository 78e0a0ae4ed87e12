import type { NginxServers } from '#agent/features/existing/web/nginx-servers.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Abilities } from './base.ts'
import { placesBeside } from './listen-places.ts'

export async function abilitiesOf(host: Host, found: NginxServers): Promise<Abilities> {
  const { stderr } = await host.shell.try(['nginx', '-v'])
  const version = /nginx\/([\d.]+)/.exec(stderr)?.[1] ?? ''
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const ipv6 = ((await host.files.read('/proc/1/net/if_inet6')) ?? '') !== ''
  const http2_directive = major * 1e6 + minor * 1e3 + patch >= 1_025_001
  const places = found.others.length > 0 ? { places: placesBeside(found, ipv6) } : {}
  return { ipv6, http2_directive, ...places }
}
