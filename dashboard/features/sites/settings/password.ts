import type { Random } from '#dashboard/kernel/runtime/random.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import { newPassword } from '#dashboard/kernel/trust/visitor-password.ts'

export const SITE_PASSWORD = 'site password'

/** Makes a new password of visitors: its hash for the agent, and its sealed form for the record. */
export function newSitePassword(deps: { random: Random; sealer: Sealer }, user: string) {
  const { password, password_hash } = newPassword(deps.random)
  const password_sealed = deps.sealer.seal(SITE_PASSWORD, password)
  return { basic_auth: { user, password_hash }, password_sealed }
}
