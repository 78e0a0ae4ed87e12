import type { Host } from '#agent/kernel/host/ports.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** Throws conflict if fewer bytes are free for sites than `what` needs. */
export async function refuseFullDisk({ files }: Host, needed: number, what: string) {
  const { free } = await files.space('/srv')
  if (free >= needed) return
  const [left, least] = [free, needed].map((bytes) => `${Math.floor(bytes / 2 ** 20)} MB`)
  throw conflict(`Only ${left} are free on this server, and ${what} needs ${least}`, 'disk_full')
}
