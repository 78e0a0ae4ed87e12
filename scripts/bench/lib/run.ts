import { cpus, totalmem } from 'node:os'
import process from 'node:process'
import { type Figure, figuresIn } from './figure.ts'

export interface Outcome {
  figures: Figure[]
  /** Why its figures do not count, such as a wrong answer. */
  error?: string
}

/** Runs one benchmark with its output on `write`. A benchmark that misses a goal exits with 1. */
export async function runBenchmark(
  argv: readonly string[],
  write: (text: string) => unknown,
): Promise<Outcome> {
  const child = Bun.spawn([...argv], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, status] = await Promise.all([
    copied(child.stdout, write),
    copied(child.stderr, write),
    child.exited,
  ])
  return outcomeOf(output, errors, status)
}

/** A status other than 0 without a missed goal means that an answer was wrong, or that it broke. */
export function outcomeOf(output: string, errors: string, status: number): Outcome {
  const figures = figuresIn(output)
  const last = errors.trim().split('\n').at(-1) || `exit status ${status}`
  if (status !== 0 && figures.every(({ met }) => met)) return { figures, error: last }
  if (figures.length === 0) return { figures, error: 'it reports no figure' }
  return { figures }
}

async function copied(stream: ReadableStream<Uint8Array>, write: (text: string) => unknown) {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    const part = decoder.decode(bytes, { stream: true })
    text += part
    write(part)
  }
  return text
}

/** Returns a description such as `2 × Intel Xeon Processor, 8 GB, Bun 1.4.4`. */
export function describeMachine(): string {
  const model = (cpus()[0]?.model ?? process.arch).replaceAll(/\((?:R|TM)\)/g, '').trim()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${model}, ${memory} GB, Bun ${Bun.version}`
}
