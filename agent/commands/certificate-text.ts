import type { Host } from '#agent/host/ports.ts'
import { certificateOf } from '#agent/os/nginx/nginx.ts'

/** The certificate that is served, with its chain; empty without one. */
export async function certificateTextOf(host: Host, domain: string): Promise<string> {
  const served = await certificateOf(host, domain)
  return (served && (await host.files.read(served.fullchain))) ?? ''
}
