import type { Host } from '#agent/kernel/host/ports.ts'
import { ANYTHING } from '#agent/kernel/host/root-programs.ts'
import { pathProblem } from '#agent/kernel/sandbox/reading/root-owned.ts'
import { CLOUDFLARE_TOKEN } from '#shared/domains/dns-choice.ts'
import { messageOf } from '#shared/kernel/errors.ts'

/** The time until Cloudflare's name servers answer with a new record. */
const PROPAGATION_MS = 10_000
const MAX_TOKEN_BYTES = 1000

interface TxtRecord {
  name: string
  value: string
}

/** Returns why this server cannot set a TXT record; undefined if it can. */
export async function recordsProblem(host: Host): Promise<string | undefined> {
  const { dns_hook, cloudflare } = host.settings
  if (cloudflare.token_file !== undefined) {
    const token = await readToken(host, cloudflare.token_file)
    return 'problem' in token ? token.problem : undefined
  }
  if (dns_hook !== undefined) return hookProblem(host)
  return 'neither AGENT_DNS_HOOK nor AGENT_CLOUDFLARE_TOKEN_FILE is set'
}

/** The reason why a record was not set or removed, and whether something may have changed. */
interface TxtFailure {
  reason: string
  is_uncertain: boolean
}

const certain = (reason: string): TxtFailure => ({ reason, is_uncertain: false })
const uncertain = (reason: string): TxtFailure => ({ reason, is_uncertain: true })

/** Sets the record at Cloudflare, or by the hook of root. Returns undefined on success. */
export async function setTxt(
  host: Host,
  action: 'present' | 'cleanup',
  record: TxtRecord,
): Promise<TxtFailure | undefined> {
  const { api, token_file } = host.settings.cloudflare
  if (token_file === undefined) return setByHook(host, action, record)
  const read = await readToken(host, token_file)
  if ('problem' in read) return certain(read.problem)
  try {
    const refusal = await host.acme.record({ api, token: read.token, action, ...record })
    if (refusal !== undefined) return certain(refusal)
  } catch (error) {
    return uncertain(messageOf(error))
  }
  if (action === 'present') await host.clock.sleep(PROPAGATION_MS)
  return undefined
}

async function setByHook(
  host: Host,
  action: 'present' | 'cleanup',
  record: TxtRecord,
): Promise<TxtFailure | undefined> {
  const problem = await hookProblem(host)
  if (problem !== undefined) return certain(problem)
  const reason = await runHook(host, action, record)
  return reason === undefined ? undefined : uncertain(reason)
}

async function readToken(
  host: Host,
  path: string,
): Promise<{ token: string } | { problem: string }> {
  const problem = await pathProblem(host, path)
  if (problem !== undefined) return { problem }
  const found = await host.files.stat(path)
  if (((found?.mode ?? 0o777) & 0o077) !== 0)
    return { problem: `${path} is readable by others than root` }
  const token = (await host.files.read(path, MAX_TOKEN_BYTES))?.trim() ?? ''
  return CLOUDFLARE_TOKEN.test(token)
    ? { token }
    : { problem: `${path} has no API token of Cloudflare` }
}

const TIMEOUT_MS = 120_000
const MAX_REASON = 300

/** Returns why the hook for DNS records cannot run; undefined if it can. */
export async function hookProblem(host: Host): Promise<string | undefined> {
  const { dns_hook: hook = '' } = host.settings
  const problem = await pathProblem(host, hook)
  if (problem !== undefined) return problem
  const isExecutable = ((await host.files.stat(hook))?.mode ?? 0) & 0o100
  return isExecutable ? undefined : `${hook} is not executable`
}

/** Runs the hook of root. Returns why it failed: the last line of its standard error. */
export async function runHook(
  host: Host,
  action: 'present' | 'cleanup',
  { name, value }: { name: string; value: string },
): Promise<string | undefined> {
  const { dns_hook: hook = '' } = host.settings
  const problem = await hookProblem(host)
  if (problem !== undefined) return problem
  const options = { unconfined: true, starts: ANYTHING, timeout_ms: TIMEOUT_MS } as const
  try {
    const { code, stderr } = await host.shell.try([hook, action, name, value], options)
    if (code === 0) return undefined
    return `${hook} ended with status ${code}${lastLineOf(stderr)}`
  } catch (error) {
    return `${hook} failed: ${messageOf(error)}`
  }
}

function lastLineOf(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? ''
  const plain = line.replace(/\p{Cc}/gu, ' ').slice(0, MAX_REASON)
  return plain === '' ? '' : `: ${plain}`
}
