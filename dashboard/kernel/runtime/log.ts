import { codeOf } from './error-code.ts'
import { currentRequestId } from './request-id.ts'

type LogFields = Record<string, string | number | null | undefined>

/**
 * Writes one JSON line per call: `at`, `level`, `message`, `request_id` if a request caused it,
 * then the fields. These are names, ids and rules: never submitted values.
 */
export interface Log {
  info(message: string, facts?: LogFields): void
  error(message: string, error: unknown, facts?: LogFields): void
}

export function jsonLog(write: (line: string) => void, now: () => Date): Log {
  const line = (level: string, message: string, facts: object) =>
    write(`${JSON.stringify({ ...headOf(level, message), ...facts })}\n`)
  const headOf = (level: string, message: string) => {
    const request_id = currentRequestId()
    return { at: now().toISOString(), level, message, ...(request_id ? { request_id } : {}) }
  }
  return {
    info: (message, facts = {}) => line('info', message, facts),
    error: (message, error, facts = {}) =>
      line('error', message, { ...facts, error: describe(error) }),
  }
}

/** The names of errors whose messages contain values; drizzle's error has no name of its own. */
const TALKATIVE_LIBRARIES = new Set(['ValidationError', 'ZodError', 'SyntaxError'])
const isTalkative = (error: Error) => TALKATIVE_LIBRARIES.has(error.name) || 'query' in error

function describe(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { name: typeof error }
  const { name, message, stack, cause } = error
  return {
    name,
    ...(codeOf(error) && { code: codeOf(error) }),
    ...(isTalkative(error) ? {} : { message }),
    ...(depth === 0 ? { frames: frames(stack) } : {}),
    ...(cause === undefined || depth > 3 ? {} : { cause: describe(cause, depth + 1) }),
  }
}

function frames(stack = ''): string[] {
  const lines = stack.split('\n').map((text) => text.trim())
  return lines.filter((text) => text.startsWith('at ')).slice(0, 8)
}
