import type { Host } from '#agent/kernel/host/ports.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { availablePath } from './link.ts'

export { availablePath } from './link.ts'

/** The certificate of the other server of a move, if no authority has signed it. */
export const pinnedOf = (domain: string) => `${certificateFolder(domain)}/peer.pem`

/** What a site serves again after a freeze. It is renamed, also by systemd: see moves/thaw-unit.ts. */
export const servingPathOf = (domain: string) => `${availablePath(domain)}.serving`

export const isFrozen = async ({ files }: Host, domain: string): Promise<boolean> =>
  (await files.stat(servingPathOf(domain))) !== undefined
