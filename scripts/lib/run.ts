export interface RunOptions {
  cwd?: string
  env?: Record<string, string>
  /** The standard input of the program. */
  input?: string
  timeout_ms?: number
}

/**
 * Runs a program and returns its standard output. Throws with its last output if it cannot be
 * started, exits with another status than 0, or takes too long.
 */
export async function must(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const { status, stdout, stderr } = await runToEnd(argv, options)
  if (status === 0) return stdout
  const output = lastLines(stderr.trim() || stdout.trim(), 5)
  throw new Error(`${argv[0]} failed (exit status ${status}): ${output || 'no output'}`)
}

/** Returns the exit status and the output of a program. */
export async function runToEnd(argv: readonly string[], options: RunOptions) {
  const { cwd, env, input, timeout_ms = 600_000 } = options
  const child = Bun.spawn([...argv], {
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: timeout_ms,
    killSignal: 'SIGKILL',
    env: { ...process.env, ...env },
    ...(cwd ? { cwd } : {}),
  })
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const
  const [stdout, stderr] = await Promise.all(texts)
  return { status: await child.exited, stdout, stderr }
}

export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}
