import { ACME_ROOT } from '#agent/features/web/base.ts'
import type { Host, Resolved } from '#agent/kernel/host/ports.ts'
import { isWildcard } from '#shared/kernel/names.ts'
import { recordsProblem } from './dns-records.ts'
import { namesElsewhere } from './elsewhere.ts'
import { confirmed } from './fresh-records.ts'
import { spentNames } from './ledger.ts'

const CHALLENGES = '/.well-known/acme-challenge'

/** Why a name is not in a certificate. */
export interface LeftOut {
  name: string
  reason: string
}

export interface Probed {
  served: string[]
  left_out: LeftOut[]
}

/**
 * Requests a random token under each name, looks up its records, and then requests the token where
 * they lead: authorities limit failed validations, also of names that can only fail. The first name
 * is the primary domain.
 */
export async function probeNames(host: Host, names: readonly string[]): Promise<Probed> {
  const token = host.random.text(32)
  const path = await present(host, token, token)
  try {
    const records = await host.net.resolve(names)
    const all = new Map(names.map((name, at) => [name, records[at] ?? null]))
    const found = new Map([...all].filter(([name]) => !isWildcard(name)))
    const reasons = await reasonsOf(host, token, names)
    const here = new Map([...found].filter(([name]) => !reasons.has(name)))
    const asked = { path: `${CHALLENGES}/${token}`, text: token, primary: names[0] ?? '' }
    const doubted = new Map([...unrecorded(found), ...(await namesElsewhere(host, asked, here))])
    for (const [name, reason] of await confirmed(host, found, doubted)) reasons.set(name, reason)
    return {
      served: names.filter((name) => !reasons.has(name)),
      left_out: names.flatMap((name) => {
        const reason = reasons.get(name)
        return reason === undefined ? [] : [{ name, reason }]
      }),
    }
  } finally {
    await withdrawToken(host, path)
  }
}

/** Why names can only fail, as far as this server itself knows. */
async function reasonsOf(
  host: Host,
  token: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const spent = await spentNames(host, names)
  const reasons = new Map<string, string>()
  for (const name of names) {
    const limit = limitOf(spent.get(name))
    const reason = limit ?? (await reasonOf(host, name, token))
    if (reason !== undefined) reasons.set(name, reason)
  }
  return reasons
}

/** One that stays is removed at the next start of the agent. */
export const withdrawToken = (host: Host, path: string): Promise<void> =>
  host.files.remove(path).catch(() => undefined)

/** At the start of the agent: those of orders that were cut off. */
export async function withdrawAllTokens(host: Host): Promise<void> {
  const folder = `${ACME_ROOT}${CHALLENGES}`
  for (const { name } of await host.files.list(folder))
    await withdrawToken(host, `${folder}/${name}`)
}

/** Writes a token where nginx serves it for every site; returns its path. */
export async function present(host: Host, token: string, text: string): Promise<string> {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(token)) throw new Error('The authority sent a bad token')
  const path = `${ACME_ROOT}${CHALLENGES}/${token}`
  await host.files.write(path, text)
  return path
}

const limitOf = (until: number | undefined) =>
  until === undefined
    ? undefined
    : `the authority refused it four times within an hour, and is asked again after ${new Date(until).toISOString()}`

/** A wildcard is validated by its TXT record: visitors may have records of single names. */
const reasonOf = (host: Host, name: string, token: string): Promise<string | undefined> =>
  isWildcard(name) ? recordsProblem(host) : problemOf(host, name, token)

async function problemOf(host: Host, name: string, token: string): Promise<string | undefined> {
  try {
    const answer = await host.net.probe({ host: name, path: `${CHALLENGES}/${token}` })
    if (answer.status !== 200 || answer.body !== token)
      return `this server answers ${answer.status} instead of the token that the authority would request`
  } catch (error) {
    return `this server does not answer: ${error instanceof Error ? error.message : String(error)}`
  }
  return undefined
}

/** Without an answer of a name server, the authority decides. */
const unrecorded = (found: ReadonlyMap<string, Resolved>): [name: string, reason: string][] =>
  [...found]
    .filter(([, records]) => records?.length === 0)
    .map(([name]) => [name, 'it has no A and no AAAA record in DNS'])

/** The names without a certificate in one sentence; undefined without any. */
export function describe(left_out: readonly LeftOut[]): string | undefined {
  if (left_out.length === 0) return undefined
  const names = left_out.map(({ name, reason }) => `${name} (${reason})`)
  return `The certificate leaves out ${names.join(', ')}`
}
