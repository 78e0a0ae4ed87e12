import type { Host, Output } from '#agent/kernel/host/ports.ts'
import { conflict, type ServiceError } from '#shared/kernel/errors.ts'

/** The program of nginx, and the options of the running master. */
interface NginxProgram {
  program: string
  args: readonly string[]
  timeout_ms?: number
}

const DEFAULT: NginxProgram = { program: 'nginx', args: [] }

/** The limit of the output, from which on it is truncated silently. */
const MAX_DUMP = (16 << 20) - 1

/** Runs `nginx -T`, which reads the whole configuration and every certificate. */
export function dumpNginx({ shell }: Pick<Host, 'shell'>, call = DEFAULT): Promise<Output> {
  const { program, args, timeout_ms } = call
  return shell.try([program, '-T', '-q', ...args], {
    unconfined: true,
    ...(timeout_ms !== undefined && { timeout_ms }),
  })
}

/** Returns nginx's own message with file and line; a killed program has none. */
export function refusalOf({ code, stderr }: Pick<Output, 'code' | 'stderr'>): ServiceError {
  const words = stderr.trim() || `it ended with status ${code} and without a message`
  return conflict(`nginx refuses its configuration: ${words}`)
}

export const isWhole = ({ code, stdout }: Output) => code === 0 && stdout.length < MAX_DUMP

/** Splits a dump, which has each file once, after a line with its path. */
export function filesOf(dump: string): Map<string, string> {
  const [, ...parts] = dump.split(/^# configuration file (.+):$/m)
  const files = new Map<string, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) files.set(parts[at] ?? '', parts[at + 1] ?? '')
  return files
}
