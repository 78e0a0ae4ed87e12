import type { Client as AcmeClient, Authorization } from 'acme-client'
import { messageOf } from '#shared/kernel/errors.ts'
import type { AcmeOrder, AcmeOutcome, AcmePort } from './acme-port.ts'
import { agentFor, readDirectory, Unreachable } from './authority.ts'
import { AuthorityLimit, refuseLimits } from './authority-limit.ts'
import { NothingChanged, setRecord } from './cloudflare.ts'
import { certificateId, renewals } from './renewal-info.ts'
import { within } from './within.ts'

type NewOrder = Parameters<AcmeClient['createOrder']>[0]
type Refusal = { name: string; reason: string }

/** Orders by http-01, and by dns-01 for wildcards, with acme-client. */
export const acme: AcmePort = {
  order: (order) =>
    within(order.timeout_ms, answered(perform(order)), () => {
      const limit = `${order.timeout_ms / 1000} seconds`
      return new Error(`the certificate authority did not finish within ${limit}`)
    }),
  renewals,
  record: (record) =>
    setRecord(record).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof NothingChanged) return error.message
        throw error
      },
    ),
}

/** The end of an order that meets a limit of the authority, or that does not reach it. */
const answered = (ordered: Promise<AcmeOutcome>): Promise<AcmeOutcome> =>
  ordered.catch((error: unknown) => {
    if (error instanceof AuthorityLimit) return { limited: error.limit }
    if (error instanceof Unreachable) return { unreachable: error.message }
    throw error
  })

async function perform(order: AcmeOrder): Promise<AcmeOutcome> {
  // Loaded for an order only: the library takes 39 MB of memory.
  const { axios, Client, crypto } = await import('acme-client')
  const { directory, account_key, email, names } = order
  const agent = agentFor(order.extra_roots)
  const { renewalInfo } = await readDirectory(directory, agent)
  axios.defaults.httpsAgent = agent
  axios.defaults.timeout = 30_000
  refuseLimits(axios)
  // A setting that the types of the library omit: by default it tries for 75 seconds.
  Object.assign(axios.defaults, { acmeSettings: { retryMaxAttempts: 2, retryDefaultDelay: 3 } })
  const client = new Client({
    directoryUrl: directory,
    accountKey: account_key,
    // About 80 seconds: a name whose validation takes longer is refused, and counts as such.
    backoffAttempts: 30,
    backoffMin: 250,
    backoffMax: 3000,
  })
  await client.createAccount({ termsOfServiceAgreed: true, contact: [`mailto:${email}`] })
  const identifiers = names.map((value) => ({ type: 'dns', value }))
  const replaces = renewalInfo && order.replaces && (await certificateId(order.replaces))
  const open = await (replaces
    ? // Refused if it was replaced before: an order without it is as good.
      client.createOrder(following(identifiers, replaces)).catch((error: unknown) => {
        if (error instanceof AuthorityLimit) throw error
        return client.createOrder({ identifiers })
      })
    : client.createOrder({ identifiers }))
  const authorizations = await client.getAuthorizations(open)
  const refused = (
    await Promise.all(authorizations.map((authorization) => validate(client, authorization, order)))
  ).filter((refusal) => refusal !== undefined)
  if (refused.length > 0) return { refused }
  const [, request] = await crypto.createCsr({ altNames: [...names] }, order.private_key)
  return { chain: await client.getCertificate(await client.finalizeOrder(open, request)) }
}

/** The types of the library omit the field of RFC 9773. */
const following = (identifiers: NewOrder['identifiers'], replaces: string) =>
  ({ identifiers, replaces }) as NewOrder

async function validate(
  client: AcmeClient,
  { identifier, wildcard = false, ...authorization }: Authorization,
  { present, publish }: AcmeOrder,
): Promise<Refusal | undefined> {
  const name = wildcard ? `*.${identifier.value}` : identifier.value
  if (authorization.status === 'valid') return undefined
  const challengeType = wildcard ? 'dns-01' : 'http-01'
  const challenge = authorization.challenges.find(({ type }) => type === challengeType)
  if (!challenge) return { name, reason: `the authority offers no ${challengeType} challenge` }
  const answer = await client.getChallengeKeyAuthorization(challenge)
  if (!wildcard) await present(challenge.token, answer)
  const problem = wildcard && (await publish(`_acme-challenge.${identifier.value}`, answer))
  if (problem) return { name, reason: problem }
  try {
    await client.completeChallenge(challenge)
    await client.waitForValidStatus(challenge)
    return undefined
  } catch (error) {
    if (error instanceof AuthorityLimit) throw error
    return { name, reason: messageOf(error) }
  }
}
