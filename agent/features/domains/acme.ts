import { ACME_ROOT } from '#agent/features/web/base.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { AcmeOutcome } from '#agent/kernel/host/acme-port.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  isIssued,
  parseCertificate,
  privateKeyOf,
  provideKey,
  readCertificate,
} from '#agent/kernel/site/certificate-files.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { baseOf, isCovered, isWildcard } from '#shared/kernel/names.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { countedOrder, namesToOrder } from './current-certificate.ts'
import { publishRecord, withdrawRecords } from './dns-challenges.ts'
import { recordFailedValidations } from './failed-validations.ts'
import { inPhase } from './issue-phase.ts'
import { reasonOf, recordIssuer, refundOrder, spendOrder } from './order-limits.ts'
import { type LeftOutName, probeNames, publishToken, withdrawToken } from './probe-names.ts'
import { CertificateRefused, orRefusal, rateLimited, refusal, unreachable } from './refusals.ts'

const TIMEOUT_MS = 120_000
/** The time limit of the hook for each wildcard. */
const WILDCARD_MS = 130_000
/** The maximum time until the next request for a certificate. */
const DAY_S = 86_400

export interface OrderedCertificate {
  /** The chain as PEM; undefined when the present certificate has all names that can have one. */
  chain: string | undefined
  left_out: LeftOutName[]
}

/** The names of the present certificate, unless it is due. */
interface CurrentNames {
  names: readonly string[]
}

/**
 * Requests a certificate by http-01 for the primary domain and those of its other names that lead
 * here. Throws CertificateRefused with the authority's message if it refuses the domain. Orders
 * nothing when only names that are left out are missing from the present certificate.
 */
export async function* orderCertificate(
  host: Host,
  site: Site,
  known: CurrentNames = { names: [] },
): Progress<OrderedCertificate> {
  const { domain } = site
  const all = allNamesOf(site)
  const { served, left_out: failing } = await inPhase(
    host,
    domain,
    { phase: 'checking', names: all },
    () => probeNames(host, all),
  )
  const isIn = (names: readonly string[], name: string) =>
    names.some((written) => isCovered(name, written))
  // A wildcard covers them, although no visitor reaches them.
  const covered = failing.filter(({ name }) => isIn(served, name))
  const left_out = failing.filter((left) => !covered.includes(left))
  for (const left of left_out) yield leftOutMessage(domain, left)
  const isKept = (names: readonly string[]) =>
    left_out.length > 0 && names.every((name) => isIn(known.names, name))
  if (isKept(served)) return { chain: undefined, left_out }
  yield `Requesting a certificate for ${listed(served)}`
  const first = await orderInPhase(host, site, served)
  if ('chain' in first) return { chain: first.chain, left_out }
  const refused = first.refused.map(({ name }) => name)
  const kept = served.filter((name) => !refused.includes(name))
  for (const left of [...first.refused, ...covered.filter(({ name }) => !isIn(kept, name))]) {
    left_out.push(left)
    yield leftOutMessage(domain, left)
  }
  if (isKept(kept)) return { chain: undefined, left_out }
  const second = await orderInPhase(host, site, kept)
  if ('chain' in second) return { chain: second.chain, left_out }
  throw refusal(domain, second.refused[0]?.reason ?? 'no reason given')
}

/** Throws for the primary domain: without it there is no certificate. */
function leftOutMessage(domain: string, { name, reason }: LeftOutName): string {
  if (name === domain) throw refusal(name, reason)
  return `Leaving out ${name}: ${reason}`
}

type OrderOutcome = Extract<AcmeOutcome, { chain: unknown } | { refused: unknown }>

const orderInPhase = (host: Host, site: Site, names: string[]): Promise<OrderOutcome> =>
  inPhase(host, site.domain, { phase: 'issuing', names }, () => order(host, site, names))

/** Sends one order, which counts for the limits of the authority, as its failed validations do. */
async function order(host: Host, site: Site, names: readonly string[]): Promise<OrderOutcome> {
  const counted = await countedOrder(host, site, namesToOrder(names))
  const reached = await spendOrder(host, counted)
  if (reached) {
    const retry_after_s = Math.min(DAY_S, Math.ceil((reached.until - host.clock.now()) / 1000))
    throw rateLimited(site.domain, { reason: reasonOf(reached), retry_after_s })
  }
  const ended = await sendOrder(host, site, names).catch(async (error) => {
    if (error instanceof CertificateRefused) await refundOrder(host, counted, 'certificate')
    throw error
  })
  if ('chain' in ended) {
    const found = parseCertificate(ended.chain)
    if (found) await recordIssuer(host, found)
    return ended
  }
  await refundOrder(host, counted, 'refused' in ended ? 'certificate' : 'order')
  if ('limited' in ended) throw rateLimited(site.domain, ended.limited)
  if ('unreachable' in ended) throw unreachable(site.domain, ended.unreachable)
  return ended
}

async function sendOrder(host: Host, site: Site, names: readonly string[]): Promise<AcmeOutcome> {
  const { domain, email } = site
  const private_key = await provideKey(host, privateKeyOf(domain))
  const account_key = await accountKey(host)
  const extra = host.settings.acme_ca_file
  const extra_roots = extra === undefined ? undefined : await host.files.read(extra)
  const replaces = await replacedBy(host, domain)
  const tokens: string[] = []
  const published: string[] = []
  const publishing: Promise<unknown>[] = []
  const unpublished = new Set<string>()
  try {
    const ended = await orRefusal(
      domain,
      host.acme.order({
        extra_roots,
        account_key,
        private_key,
        email,
        replaces,
        names: namesToOrder(names),
        directory: host.settings.acme_directory,
        present: async (token, text) => void tokens.push(await publishToken(host, token, text)),
        publish: async (name, value) => {
          const isAsked = names.some((each) => isWildcard(each) && recordOf(each) === name)
          if (!isAsked) return 'the authority asked for the record of another name'
          if (!DIGEST.test(value)) return 'the value of its record is no digest of an authority'
          published.push(value)
          const work = publishRecord(host, name, value)
          publishing.push(work)
          const failure = await work
          if (failure !== undefined) unpublished.add(name)
          return failure
        },
        timeout_ms: TIMEOUT_MS + WILDCARD_MS * names.filter(isWildcard).length,
      }),
    )
    if ('refused' in ended) {
      const failed = ended.refused.map(({ name }) => name)
      const isAsked = (name: string) => !isWildcard(name) || !unpublished.has(recordOf(name))
      await recordFailedValidations(host, failed.filter(isAsked))
    }
    return ended
  } finally {
    for (const path of tokens) await withdrawToken(host, path)
    // A cancel ends the order, but not a call that sets a record: it must not come after its removal.
    await Promise.allSettled(publishing)
    // Not interrupted by a cancel. A failed removal is repeated within the hour.
    await withdrawRecords(host.steady ?? host, published).catch(() => undefined)
  }
}

/** The value of the record, a SHA-256 digest in base64url: RFC 8555 section 8.4. */
const DIGEST = /^[A-Za-z0-9_-]{43}$/

/** Returns the name of the TXT record of the validation: RFC 8555 section 8.4. */
const recordOf = (name: string) => `_acme-challenge.${baseOf(name)}`

/** Returns the PEM of the present certificate if an authority issued it. */
async function replacedBy(host: Host, domain: string): Promise<string | undefined> {
  const found = await readCertificate(host, domain)
  return found && isIssued(found) ? String(found) : undefined
}

/** The effects of an order besides its certificate. */
export async function orderEffects(host: Host, site: Site): Promise<Effect[]> {
  const folders = [`${ACME_ROOT}/.well-known`, accountFolderOf(host)]
  return [
    ...(await effects.creationsOf(host, 'folder', ...folders)),
    ...(await effects.creationsOf(host, 'file', accountKeyOf(host))),
    effects.run('order', host.settings.acme_directory),
    ...allNamesOf(site)
      .filter(isWildcard)
      .map((name) => effects.run('hook', recordOf(name))),
  ]
}

const MAX_LISTED = 5

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED
  return more > 0
    ? `${names.slice(0, MAX_LISTED).join(', ')} and ${more} more`
    : names.join(' and ')
}

const accountFolderOf = ({ settings }: Host) => `${settings.state_dir}/acme`
const accountKeyOf = (host: Host) => `${accountFolderOf(host)}/account.pem`

/** Returns the key of the agent's one account, as authorities limit the accounts of an address. */
async function accountKey(host: Host): Promise<string> {
  await host.files.mkdir(accountFolderOf(host), { mode: 0o700 })
  return host.exclusive('acme account', () => provideKey(host, accountKeyOf(host)))
}
