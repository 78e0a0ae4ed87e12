import { createHash } from 'node:crypto'
import type { AcmeOrder, AcmeOutcome } from '#agent/kernel/host/acme-port.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

export const HOOK = '/etc/hosting-agent/dns-hook'
export const CHALLENGES = '/var/lib/hosting-agent/dns-challenges.json'

/** A program of root that sets TXT records. */
export async function withHook(host: FakeHost): Promise<FakeHost> {
  host.settings.dns_hook = HOOK
  await host.disk.mkdir('/etc/hosting-agent', { mode: 0o755 })
  await host.disk.write(HOOK, '#!/bin/sh\n', { mode: 0o755 })
  return host
}

/** A value as an authority wants it: RFC 8555 section 8.4. */
export const digestOf = (name: string) => createHash('sha256').update(name).digest('base64url')

/** The authority validates each wildcard by a TXT record, and then answers this. */
export function dnsAuthority(host: FakeHost, answer: (order: AcmeOrder) => AcmeOutcome): void {
  host.acme.order = async (order) => {
    host.orders.push(order)
    const refused = []
    for (const name of order.names.filter((each) => each.startsWith('*.'))) {
      const reason = await order.publish(`_acme-challenge.${name.slice(2)}`, digestOf(name))
      if (reason !== undefined) refused.push({ name, reason })
    }
    return refused.length > 0 ? { refused } : answer(order)
  }
}
