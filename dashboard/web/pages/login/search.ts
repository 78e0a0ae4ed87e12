import { type Texts, textsIn } from '#dashboard/web/ui/address.ts'
import { ownAddress } from '#shared/kernel/own-address.ts'

/** Where to go after the login: only an address of this dashboard. */
export function readLoginSearch({ to }: Record<string, unknown>): { to?: string } {
  const address = typeof to === 'string' ? ownAddress(to) : undefined
  return address === undefined ? {} : { to: address }
}

/** The parameters with which a provider answers (RFC 6749, 4.1.2, and RFC 9207). */
const ANSWER = ['code', 'state', 'iss', 'error', 'error_description'] as const

/** What a provider has answered; the dashboard checks it. */
export const readSsoSearch = (raw: Record<string, unknown>): Texts<(typeof ANSWER)[number]> =>
  textsIn(raw, ANSWER)
