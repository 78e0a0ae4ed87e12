/** Ends the program with the reason and its causes on one line, without a stack. */
export function fail(error: unknown): never {
  console.error(`error: ${reasonOf(error)}`)
  process.exit(1)
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.message.replaceAll('\n', ' | ')
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`
}
