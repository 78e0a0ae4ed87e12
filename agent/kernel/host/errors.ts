import type { Output } from './ports.ts'

/** A failed program, with its name, exit status and the end of its output. */
export class CommandFailed extends Error {
  readonly argv: readonly string[]
  readonly output: Output

  constructor(argv: readonly string[], output: Output) {
    super(`${argv[0]} failed (exit status ${output.code}): ${lastOutput(output)}`)
    this.name = 'CommandFailed'
    this.argv = argv
    this.output = output
  }
}

function lastOutput({ stdout, stderr }: Output): string {
  const text = (stderr.trim() || stdout.trim()).split('\n').slice(-5).join(' | ')
  return text.slice(-1000) || 'no output'
}

/** Thrown for a setting that an administrator can correct, as the message says. */
export class ConfigError extends Error {}
