import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import type { MarkedRecords } from './queries.ts'
import { countCodes, withoutCode } from './recovery-codes.ts'
import { type FactorRow, findFactor, updateFactor } from './second-factor.queries.ts'
import { fromBase32, stepWith } from './totp.ts'

export interface FactorDeps extends MarkedRecords, Pick<CommonDeps, 'clock' | 'random'> {
  sealer: Sealer
}

export const ASKS_CODE = 'Enter the code of your authenticator app, or a recovery code'
export const WRONG_CODE = 'The code is wrong, or was used before'

const TURNS = 5

/** Binds a sealed secret to its factor. */
export const purposeOf = (id: string) => `totp ${id}`

/** Returns the bytes of the secret that the app of the user has. */
export function secretOf({ sealer }: Pick<FactorDeps, 'sealer'>, factor: FactorRow): Uint8Array {
  return fromBase32(sealer.open(purposeOf(factor.id), factor.secret_sealed).reveal())
}

export interface UsedCode {
  /** What the activity says about it; null for a code of the app. */
  detail: string | null
}

/**
 * Uses a code of the second factor of a user: it is valid once. Returns undefined for a wrong code,
 * one that was used before, or one of an app whose records were changed outside of the dashboard.
 */
export async function useCode(
  deps: FactorDeps,
  user: Pick<UserRow, 'id' | 'factor_id'>,
  code: Secret,
): Promise<UsedCode | undefined> {
  for (let turn = 0; turn < TURNS; turn++) {
    const factor = await findFactor(deps, user)
    const after = factor && redeem(deps, factor, code.reveal().replace(/\s/g, ''))
    if (!after) return undefined
    if (await updateFactor(deps, factor, after)) return { detail: detailOf(after) }
  }
  return undefined
}

type Redeemed = Partial<Pick<FactorRow, 'last_step' | 'recovery_codes'>>

function redeem(deps: FactorDeps, factor: FactorRow, code: string): Redeemed | undefined {
  const secret = secretOf(deps, factor)
  if (/^\d+$/.test(code)) {
    const last_step = stepWith(code, {
      secret,
      last_step: factor.last_step,
      now: deps.clock.now(),
    })
    return last_step === undefined ? undefined : { last_step }
  }
  const recovery_codes = withoutCode(factor.recovery_codes, code, secret)
  return recovery_codes === undefined ? undefined : { recovery_codes }
}

function detailOf({ recovery_codes }: Redeemed): string | null {
  if (recovery_codes === undefined) return null
  return `with a recovery code, ${countCodes(recovery_codes)} left`
}
