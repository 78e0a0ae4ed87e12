import { certificateOf } from '#agent/features/web/nginx.ts'
import type { Host } from '#agent/kernel/host/ports.ts'

/** Returns the served certificate with its chain; empty without one. */
export async function certificateTextOf(host: Host, domain: string): Promise<string> {
  const served = await certificateOf(host, domain)
  return (served && (await host.files.read(served.fullchain))) ?? ''
}
