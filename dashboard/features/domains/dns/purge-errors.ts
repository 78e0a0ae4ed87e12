import { conflict } from '#shared/kernel/errors.ts'
import { CloudflareError } from './cloudflare.ts'

interface AccountZone {
  account: { name: string }
  zone: { name: string }
}

/** Returns what to do, by the code of a refusal: developers.cloudflare.com/api. */
function adviceOn(code: number | undefined, { account, zone }: AccountZone): string {
  if (code === 9109 || code === 1000 || code === 6003 || code === 6111)
    return `Give the DNS account ${account.name} a valid token on the page Settings.`
  if (code === 10000 || code === 9103)
    return `Give the token of the DNS account ${account.name} the permissions Zone: Read, DNS: Edit and Cache Purge: Purge for ${zone.name} at Cloudflare.`
  if (code === 7003 || code === 1001)
    return `The zone ${zone.name} is no longer in the DNS account ${account.name}: save the account on the page Settings, which reads its zones again.`
  if (code === 10429 || code === 971) return 'Cloudflare limits such calls: try again in a minute.'
  return ''
}

/** Turns errors of Cloudflare into a conflict with its message, and what to do. */
export const withAdvice = <T>(work: Promise<T>, place: AccountZone): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof CloudflareError)) throw error
    const advice = adviceOn(error.refusal, place)
    throw conflict(advice === '' ? error.message : `${error.message}. ${advice}`)
  })
