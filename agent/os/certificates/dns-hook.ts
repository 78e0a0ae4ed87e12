import type { Host, Stat } from '#agent/host/ports.ts'
import { messageOf } from '#shared/errors.ts'

const TIMEOUT_MS = 120_000
const WRITABLE_BY_OTHERS = 0o022
const MOST_REASON = 300

/** Why the hook for DNS records cannot run; undefined if it can. */
export async function hookProblem(host: Host): Promise<string | undefined> {
  const { dns_hook: hook = '' } = host.settings
  const problem = await pathProblem(host, hook)
  if (problem !== undefined) return problem
  const isExecutable = ((await host.files.stat(hook))?.mode ?? 0) & 0o100
  return isExecutable ? undefined : `${hook} is not executable`
}

/** Why root cannot trust a file: somebody else may change it, or a folder on its path. */
export async function pathProblem({ files }: Host, file: string): Promise<string | undefined> {
  const parts = file.split('/')
  for (const at of parts.keys()) {
    const path = parts.slice(0, at + 1).join('/') || '/'
    const problem = problemOf(await files.stat(path), path === file ? 'file' : 'directory')
    if (problem !== undefined) return `${path} ${problem}`
  }
  return undefined
}

function problemOf(found: Stat | undefined, kind: 'file' | 'directory'): string | undefined {
  if (found?.kind !== kind) return `is not a ${kind}`
  if (found.uid !== 0) return 'does not belong to root'
  return (found.mode & WRITABLE_BY_OTHERS) === 0 ? undefined : 'is writable by others than root'
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
  const options = { unconfined: true, timeout_ms: TIMEOUT_MS }
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
  const plain = line.replace(/\p{Cc}/gu, ' ').slice(0, MOST_REASON)
  return plain === '' ? '' : `: ${plain}`
}
