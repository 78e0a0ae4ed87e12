import { codeOf, fromBase32, stepAt } from '#dashboard/kernel/auth/totp.ts'
import { type Dashboard, PASSWORD } from './dashboard.ts'

/** An authenticator app, and the recovery codes that its owner keeps. */
export interface App {
  recovery_codes: string[]
  /** The code at this time, or so many steps later. */
  code(now: Date, steps?: number): string
}

export const appOf = (secret: string, recovery_codes: string[] = []): App => ({
  recovery_codes,
  code: (now, steps = 0) => codeOf(fromBase32(secret), stepAt(now) + steps),
})

/** Turns two-factor authentication of the first user on, with the code of now. */
export async function turnOn(dashboard: Dashboard, password = PASSWORD): Promise<App> {
  const now = dashboard.deps.clock.now()
  const started = await dashboard.call('POST', '/api/auth/totp', { password })
  const { secret } = started.body
  const code = appOf(secret).code(now)
  const confirmed = await dashboard.call('POST', '/api/auth/totp/confirm', { code })
  if (confirmed.status !== 200) throw new Error(`It answered ${JSON.stringify(confirmed.body)}`)
  return appOf(secret, confirmed.body.recovery_codes)
}
