import type { Host } from '#agent/kernel/host/ports.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { availablePath } from './vhost-link.ts'

export { availablePath } from './vhost-link.ts'

/** Returns the certificate of the other server of a move, if no authority has signed it. */
export const peerCertificateOf = (domain: string) => `${certificateFolder(domain)}/peer.pem`

/** Returns the file that a site serves again after a freeze. See moves/freeze-timer.ts. */
export const servingPathOf = (domain: string) => `${availablePath(domain)}.serving`

export const isFrozen = async ({ files }: Host, domain: string): Promise<boolean> =>
  (await files.stat(servingPathOf(domain))) !== undefined
