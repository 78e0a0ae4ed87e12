import type { RunOptions } from '#agent/kernel/host/ports.ts'

/** The options of a program of an operation, and of the program that feeds it. */
export function withOperation(
  { input_from, ...options }: RunOptions,
  operation: string,
): RunOptions {
  if (!input_from) return { ...options, operation }
  const fed = { ...input_from, options: withOperation(input_from.options, operation) }
  return { ...options, input_from: fed, operation }
}
