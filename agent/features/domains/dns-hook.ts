import type { Host } from '#agent/kernel/host/ports.ts'
import { ANYTHING } from '#agent/kernel/host/root-programs.ts'
import { pathProblem } from '#agent/kernel/sandbox/reading/root-owned.ts'
import { messageOf } from '#shared/kernel/errors.ts'

const TIMEOUT_MS = 120_000
const MAX_REASON = 300

/** Why the hook for DNS records cannot run; undefined if it can. */
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
