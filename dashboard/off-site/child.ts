interface Options {
  env?: Record<string, string>
  input_file?: string
  output_file?: string
}

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

const TIMEOUT_MS = 4 * 3600_000
const PATH = '/usr/local/bin:/usr/bin:/bin'

/** Runs a program by its argv, with these variables alone. Never throws for an exit status. */
export async function run(
  argv: readonly string[],
  { env = {}, input_file, output_file }: Options = {},
): Promise<Outcome> {
  const child = Bun.spawn([...argv], {
    env: { PATH, LC_ALL: 'C.UTF-8', HOME: '/tmp', ...env },
    stdin: input_file === undefined ? 'ignore' : Bun.file(input_file),
    stdout: output_file === undefined ? 'pipe' : Bun.file(output_file),
    stderr: 'pipe',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  child.unref()
  const output = child.stdout instanceof ReadableStream ? new Response(child.stdout).text() : ''
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    output,
    new Response(child.stderr).text(),
  ])
  return { code, stdout, stderr }
}

/** Throws the last lines of a program that failed. */
export async function mustRun(argv: readonly string[], options?: Options): Promise<Outcome> {
  const outcome = await run(argv, options)
  if (outcome.code === 0) return outcome
  throw new Error(`${argv[0]}: ${reasonOf(outcome)}`)
}

/** The message of a program, in one line. */
export function reasonOf({ code, stderr, stdout }: Outcome): string {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '')
  return lines.slice(-2).join(' | ').slice(0, 400) || `exit status ${code}`
}
