import { METADATA } from './metadata-addresses.ts'
import type { Host } from './ports.ts'

/**
 * Returns directives of systemd.resource-control(5), one on a line. Where the kernel has no cgroup
 * BPF, such as in a container, systemd accepts them without effect.
 */
export function deniedAddresses(resolv_conf: string): string {
  const servers = [...resolv_conf.matchAll(/^\s*nameserver\s+([0-9a-fA-F.:]+)/gm)]
  const allowed = servers.map(([, address = '']) => address.toLowerCase()).filter(isDenied)
  const denied = `IPAddressDeny=${METADATA.join(' ')}`
  return allowed.length > 0 ? `${denied}\nIPAddressAllow=${allowed.join(' ')}` : denied
}

/** Returns the directives for the name servers of this server. */
export const deniedOn = async ({ files }: Host): Promise<string[]> =>
  deniedAddresses((await files.read('/etc/resolv.conf')) ?? '').split('\n')

const isDenied = (address: string) =>
  /^(169\.254\.|fe80:)/.test(address) || METADATA.some((range) => range.split('/')[0] === address)
