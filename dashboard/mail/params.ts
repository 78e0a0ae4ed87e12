import { z } from 'zod'
import type { Sealer } from '#dashboard/trust/seal.ts'
import { StoredMail } from '#shared/api/mail.ts'
import type { OperationType } from '#shared/operation-types/index.ts'
import type { KeptMail } from './queries.ts'

export const PASSWORD_PURPOSE = 'mail relay password'

/** On record an operation has the password sealed: it is opened for the agent alone. */
const Sealed = StoredMail.extend({ password_sealed: z.string() })

/** What an operation on record sets. */
export function keptOf(params: Record<string, unknown>): KeptMail {
  const { password_sealed, ...setting } = Sealed.parse(params)
  return { setting, password_sealed }
}

/** The params of an operation as an agent gets them; `sealer` is undefined for a plan. */
export function paramsFor(
  type: OperationType,
  params: Record<string, unknown>,
  sealer?: Pick<Sealer, 'open'>,
): Record<string, unknown> {
  if (type !== 'mail.apply') return params
  const { password_sealed, ...rest } = params
  const { setting, password_sealed: sealed } = keptOf(params)
  if (!setting.relay) return rest
  const password =
    sealed === '' || sealer === undefined ? '' : sealer.open(PASSWORD_PURPOSE, sealed).reveal()
  return { ...rest, relay: { ...setting.relay, password } }
}
