import type { Host } from '#agent/host/ports.ts'
import * as effects from '#agent/os/effects/effects.ts'
import { ACME_ROOT } from '#agent/os/nginx/base.ts'
import { namesOf } from '#agent/os/site/sites.ts'
import { privateKeyOf, provideKey } from '#agent/os/tls/certificate-files.ts'
import type { Progress } from '#agent/steps/command.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Effect } from '#shared/plan.ts'

/** Refused for now, by the authority or by the local check: a retry may succeed. */
export class CertificateRefused extends ServiceError {}

const TIMEOUT_MS = 120_000
const CHALLENGES = '/.well-known/acme-challenge'
const accountFolderOf = ({ settings }: Host) => `${settings.state_dir}/acme`
const accountKeyOf = (host: Host) => `${accountFolderOf(host)}/account.pem`

/**
 * Requests a certificate for the domain, and for www if it leads here, by http-01. Throws
 * CertificateRefused with the authority's message if it refuses the domain.
 */
export async function* orderCertificate(
  host: Host,
  { domain, email }: { domain: string; email: string },
): Progress<string> {
  const names = yield* servedNames(host, domain)
  const private_key = await provideKey(host, privateKeyOf(domain))
  const account_key = await accountKey(host)
  const extra = host.settings.acme_ca_file
  const extra_roots = extra === undefined ? undefined : await host.files.read(extra)
  const tokens: string[] = []
  const order = (all: readonly string[]) =>
    ordered(
      domain,
      host.acme.order({
        ...{ extra_roots, account_key, private_key, email, names: all },
        directory: host.settings.acme_directory,
        present: async (token, text) => void tokens.push(await present(host, token, text)),
        timeout_ms: TIMEOUT_MS,
      }),
    )
  try {
    yield `Requesting a certificate for ${names.join(' and ')}`
    const first = await order(names)
    if ('chain' in first) return first.chain
    const left = names.filter((name) => !first.refused.some((refusal) => refusal.name === name))
    for (const { name, reason } of first.refused) {
      if (name === domain || left.length === 0) throw refusal(name, reason)
      yield `Leaving out ${name}: ${reason}`
    }
    const second = await order(left)
    if ('chain' in second) return second.chain
    throw refusal(domain, second.refused[0]?.reason ?? 'no reason given')
  } finally {
    for (const path of tokens) await host.files.remove(path)
  }
}

/** The effects of an order besides its certificate. */
export async function planOrder(host: Host): Promise<Effect[]> {
  const folders = [`${ACME_ROOT}/.well-known`, accountFolderOf(host)]
  return [
    ...(await effects.planMake(host, 'folder', ...folders)),
    ...(await effects.planMake(host, 'file', accountKeyOf(host))),
    effects.run('order', host.settings.acme_directory),
  ]
}

/** Requests a random token under each name: authorities limit failed validations. */
async function* servedNames(host: Host, domain: string): Progress<string[]> {
  const token = host.random.text(32)
  const path = await present(host, token, token)
  const served: string[] = []
  try {
    for (const name of namesOf(domain)) {
      const problem = await probe(host, name, token)
      if (problem === undefined) served.push(name)
      else if (name === domain) throw refusal(name, problem)
      else yield `Leaving out ${name}: ${problem}`
    }
  } finally {
    await host.files.remove(path)
  }
  return served
}

async function probe(host: Host, name: string, token: string): Promise<string | undefined> {
  try {
    const answer = await host.net.probe({ host: name, path: `${CHALLENGES}/${token}` })
    if (answer.status === 200 && answer.body === token) return undefined
    return `this server answers ${answer.status} instead of the token that the authority would request`
  } catch (error) {
    return `this server does not answer: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Writes a token where nginx serves it for every site; returns its path. */
async function present(host: Host, token: string, text: string): Promise<string> {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(token)) throw new Error('The authority sent a bad token')
  const path = `${ACME_ROOT}${CHALLENGES}/${token}`
  await host.files.write(path, text)
  return path
}

/** One account for each agent: authorities limit the number of accounts of one IP address. */
async function accountKey(host: Host): Promise<string> {
  await host.files.mkdir(accountFolderOf(host), { mode: 0o700 })
  return host.exclusive('acme account', () => provideKey(host, accountKeyOf(host)))
}

/** An unreachable authority counts as a refusal; errors that end the operation are passed on. */
async function ordered<T>(domain: string, order: Promise<T>): Promise<T> {
  try {
    return await order
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw refusal(domain, error instanceof Error ? error.message : String(error))
  }
}

function refusal(name: string, reason: string) {
  const message = `The certificate for ${name} was refused: ${reason}`
  return new CertificateRefused('conflict', { message })
}
