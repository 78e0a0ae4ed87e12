import { createHash } from 'node:crypto'
import type { Site } from '#agent/kernel/site/sites.ts'

/** The name of a variable of one site: nginx allows no hyphen in it, and names of users may have one. */
export function variableOf(what: string, { user }: Pick<Site, 'user'>): string {
  return `$hosting_${what}_${createHash('sha256').update(user).digest('hex').slice(0, 16)}`
}
